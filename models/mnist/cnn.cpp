// mnist_cnn: the network, and how it is trained.
#include "models/mnist/cnn.hpp"

#include "models/mnist/classifier.hpp"

namespace backplane::models {

Sequential mnist_cnn(const MnistCnnOptions& options) {
  const Conv2d::Options window{.kernel = options.kernel, .padding = options.padding};
  // With the defaults 28 rows and columns become 26, 24, and by the pooling 12.
  const std::int64_t pixels = (28 - 2 * (options.kernel - 1 - 2 * options.padding)) / 2;
  Sequential net{Conv2d(1, 32, window), ReLU(), Conv2d(32, options.channels, window), ReLU()};
  if (options.average_pool) {
    net.add(AvgPool2d({.kernel = 2}));
  } else {
    net.add(MaxPool2d({.kernel = 2}));
  }
  if (options.dropout > 0) net.add(Dropout2d(options.dropout));
  net.add(Flatten());
  net.add(Linear(options.channels * pixels * pixels, 10));
  return net;
}

Model mnist_cnn_model(const MnistCnnOptions& options) {
  return mnist_classifier("mnist_cnn", [options]() -> std::unique_ptr<Layer> {
    return std::make_unique<Sequential>(mnist_cnn(options));
  });
}

}  // namespace backplane::models
