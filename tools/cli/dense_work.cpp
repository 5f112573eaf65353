// Dense work, from the shapes alone.
#include "dense_work.hpp"

#include "convolution_shape.hpp"

namespace backplane::cli {

double dense_work(const Operation& operation, std::span<const Tensor> inputs,
                  std::span<const Tensor> outputs) {
  if (const auto shape = convolution_shape(operation, inputs, outputs)) {
    const std::int64_t results =
        shape->images * shape->outputs * shape->out_height() * shape->out_width();
    const std::int64_t taps = shape->channels / shape->groups * shape->kernel[0] * shape->kernel[1];
    return 2.0 * static_cast<double>(results) * static_cast<double>(taps);
  }
  if (operation.as<op::Matmul>() || operation.as<op::MatmulActivation>()) {
    return 2.0 * static_cast<double>(outputs[0].count()) * static_cast<double>(inputs[0].size(-1));
  }
  return 0;
}

}  // namespace backplane::cli
