// A program that knows backplane from outside only: trains a line on each device that it finds.
#include <backplane/backplane.hpp>
#include <cstdlib>
#include <iostream>

namespace bp = backplane;

// The slope that gradient descent finds for y = 3 x.
float fitted_slope(bp::Device device) {
  const bp::DeviceGuard guard(device);
  const bp::Tensor x = bp::tensor({-1, 0, 1, 2}).reshape({4, 1});
  const bp::Tensor y = x * 3.0;
  bp::Tensor weight = bp::zeros({1, 1}, {.requires_grad = true});
  for (int step = 0; step < 50; ++step) {
    bp::mse_loss(bp::linear(x, weight), y).backward();
    bp::no_grad([&] { weight.copy_from(weight + weight.grad() * -0.1); });
    weight.set_grad({});
  }
  return weight.item();
}

int main() {
  const auto devices = bp::devices();
  if (devices.empty()) {
    for (const bp::AbsentBackend& absent : bp::absent_backends()) {
      std::cerr << absent.backend << ": " << absent.reason << "; " << absent.repair << '\n';
    }
    return EXIT_FAILURE;
  }
  bool right = true;
  for (const bp::Device device : devices) {
    if (device.backend() == "stranger") continue;  // knows one operation
    const float slope = fitted_slope(device);
    std::cout << device.name() << ": " << slope << '\n';
    right = right && slope > 2.99f && slope < 3.01f;
  }
  const bp::Tensor x = bp::tensor({-1, 2}).to(bp::device("stranger:0"));
  right = right && bp::relu(x).to_vector<float>() == std::vector<float>{0, 2};
  bp::shutdown();
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
