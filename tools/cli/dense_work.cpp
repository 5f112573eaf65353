// Dense work, from the shapes alone.
#include "dense_work.hpp"

namespace backplane::cli {
namespace {

// A multiply-add for each weight of an output channel, at each element of the output.
double convolution_work(const Tensor& output, const Tensor& weight) {
  const auto weights_of_a_channel = weight.count() / weight.size(0);
  return 2.0 * static_cast<double>(output.count()) * static_cast<double>(weights_of_a_channel);
}

}  // namespace

double dense_work(const Operation& operation, std::span<const Tensor> inputs,
                  std::span<const Tensor> outputs) {
  if (operation.as<op::Conv2d>()) return convolution_work(outputs[0], inputs[1]);
  if (operation.as<op::Conv2dBackwardData>()) return convolution_work(inputs[0], inputs[1]);
  if (operation.as<op::Conv2dBackwardWeight>()) return convolution_work(inputs[1], outputs[0]);
  if (operation.as<op::Matmul>()) {
    return 2.0 * static_cast<double>(outputs[0].count()) * static_cast<double>(inputs[0].size(-1));
  }
  return 0;
}

}  // namespace backplane::cli
