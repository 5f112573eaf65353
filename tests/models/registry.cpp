// The registry of models.
#include "models/registry.hpp"

#include <doctest/doctest.h>

#include <set>

#include "models/lenet/lenet5.hpp"
#include "models/linear/linear.hpp"
#include "models/mlp/mlp.hpp"
#include "models/mnist/cnn.hpp"
#include "models/resnet/resnet18.hpp"
#include "models/transformer/encoder.hpp"

using namespace backplane;
using namespace backplane::models;

TEST_CASE("registry: models are found by name") {
  for (const Model& model : all_models()) CHECK(&find_model(model.name) == &model);
  CHECK(find_model("mnist_cnn").classifies);
  CHECK(find_model("mnist_cnn").learning_rate == 1e-3f);
  CHECK_FALSE(find_model("linear").classifies);
  CHECK(find_model("linear").learning_rate == 0.01f);
}

TEST_CASE("registry: an unknown model is refused with the names there are") {
  CHECK_THROWS_WITH_AS((void)find_model("mnist_cn"),
                       "models: no model 'mnist_cn'; there are: mnist_cnn, lenet5, mlp, resnet18, "
                       "transformer, linear",
                       Error);
  try {
    (void)find_model("");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::not_found);
  }
}

TEST_CASE("mnist_cnn: its layers and parameters") {
  Sequential net = models::mnist_cnn();
  CHECK(net.size() == 8);
  CHECK(net.parameter_count() == 110986);
  CHECK(net[0].parameters()[0].shape() == Shape{32, 1, 3, 3});
  CHECK(net[2].parameters()[0].shape() == Shape{64, 32, 3, 3});
  CHECK(net[7].parameters()[0].shape() == Shape{10, 9216});
  CHECK(net(zeros({2, 1, 28, 28})).shape() == Shape{2, 10});
}

TEST_CASE("mnist_cnn: what its options change") {
  const Tensor images = zeros({2, 1, 28, 28});
  const auto classifier_inputs = [&](const MnistCnnOptions& options) {
    Sequential net = models::mnist_cnn(options);
    CHECK(net(images).shape() == Shape{2, 10});
    return net.parameters().rbegin()[1].shape()[1];
  };
  CHECK(classifier_inputs({.channels = 48}) == 48 * 12 * 12);
  CHECK(classifier_inputs({.channels = 60}) == 60 * 12 * 12);
  CHECK(classifier_inputs({.padding = 1}) == 64 * 14 * 14);
  CHECK(classifier_inputs({.kernel = 5}) == 64 * 10 * 10);
  CHECK(classifier_inputs({.average_pool = true}) == 64 * 12 * 12);
  CHECK(models::mnist_cnn({.dropout = 0}).size() == 7);
}

TEST_CASE("lenet5 and mlp: their parameters and outputs") {
  Sequential lenet = models::lenet5(), mlp = models::mlp();
  CHECK(lenet.parameter_count() == 61706);
  CHECK(lenet(zeros({2, 1, 28, 28})).shape() == Shape{2, 10});
  CHECK(mlp.parameter_count() == 235146);
  CHECK(mlp(zeros({2, 1, 28, 28})).shape() == Shape{2, 10});
}

TEST_CASE("resnet18: its parameters and names, with the shortcuts that its shapes need") {
  models::ResNet18 net;
  CHECK(net.parameter_count() == 11173962);
  std::set<std::string> names;
  for (const NamedTensor& one : net.named_parameters()) names.insert(one.name);
  for (const char* name : {"conv1.weight", "layer1.0.conv1.weight", "layer2.0.downsample.0.weight",
                           "layer4.1.bn2.bias", "fc.weight"}) {
    CAPTURE(name);
    CHECK(names.contains(name));
  }
  CHECK_FALSE(names.contains("layer1.0.downsample.0.weight"));
  CHECK_FALSE(names.contains("layer2.1.downsample.0.weight"));
  models::ResNet18 narrow({.width = 4, .classes = 7});
  CHECK(narrow(zeros({2, 3, 32, 32})).shape() == Shape{2, 7});
}

TEST_CASE("transformer: its outputs, and data whose label is the frequent token") {
  models::TransformerClassifier net;
  const Data data = frequent_token_data(3), other = frequent_token_data(4);
  CHECK(net(data.test.subset(5).inputs().to(default_device())).shape() == Shape{5, 10});
  const auto tokens = data.train.inputs().to_vector<std::int64_t>();
  const auto labels = data.train.targets().to_vector<std::int64_t>();
  CHECK(tokens != other.train.inputs().to_vector<std::int64_t>());
  std::int64_t of_label = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) of_label += tokens[i] == labels[i / 16];
  // 0.5 + 0.5 / 10 of 65,536 are expected, with a standard deviation of 0.002.
  CHECK(static_cast<double>(of_label) / static_cast<double>(tokens.size()) ==
        doctest::Approx(0.55).epsilon(0.02));
}

TEST_CASE("linear: data depend on the seed alone, and are linear but for the noise") {
  const Data data = linear_data(3), same = linear_data(3), other = linear_data(4);
  CHECK(data.train.size() == 4096);
  CHECK(data.test.size() == 1024);
  CHECK(data.train.inputs().shape() == Shape{4096, 10});
  CHECK(data.train.targets().shape() == Shape{4096, 2});
  CHECK(data.test.targets().to_vector<float>() == same.test.targets().to_vector<float>());
  CHECK(data.train.inputs().to_vector<float>() != other.train.inputs().to_vector<float>());
  for (const float x : data.train.inputs().to_vector<float>()) {
    CHECK_UNARY(x >= -1);
    CHECK_UNARY(x < 1);
  }
}
