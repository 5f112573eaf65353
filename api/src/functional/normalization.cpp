// What the normalisations share.
#include "functional/normalization.hpp"

#include <array>
#include <cmath>

namespace backplane::detail {

Standardized standardize(const char* name, const Tensor& x, std::uint32_t axes, float epsilon) {
  const op::StandardizeParams params{axes, epsilon};
  Shape statistics = x.shape();
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    if ((axes >> axis & 1) != 0) statistics[axis] = 1;
  }
  const std::array inputs{plain_handle(x)};
  const std::array outputs{like(x), Output{x.dtype(), statistics}, Output{x.dtype(), statistics}};
  const auto made = run(Operation(op::Standardize{params}), inputs, outputs);
  if (!records({x})) return {made[0], made[1], made[2]};
  const Tensor y =
      record(name, {x}, made[0],
             [name, params, y = SavedTensor(made[0]),
              variance = SavedTensor(made[2])](const BackwardCall& call) {
               const Tensor& saved = y.get(name);
               return std::vector{run(Operation(op::StandardizeBackward{params}),
                                      {call.gradient, saved, variance.get(name)}, like(saved))};
             });
  return {y, made[1], made[2]};
}

Tensor weighted(const Tensor& y, const Tensor& weight, const Tensor& bias) {
  if (weight.defined() && bias.defined()) return scale_shift(y, weight, bias);
  if (weight.defined()) return mul(y, weight);
  return bias.defined() ? add(y, bias) : y;
}

void check_epsilon(const char* name, float epsilon) {
  if (!(epsilon >= 0 && std::isfinite(epsilon))) {
    reject("{}: epsilon must be a finite number from 0 on, got {}", name, epsilon);
  }
}

void check_channels(const char* name, const Tensor& x) {
  check_floating(name, x);
  if (x.rank() < 2) {
    reject("{}: expects axes of samples and channels, got {}", name, describe(x));
  }
}

void check_for_channels(const char* name, const char* role, const Tensor& values, const Tensor& x) {
  if (!values.defined()) return;
  check_same_type(name, x, values);
  if (values.shape() != Shape{x.size(1)}) {
    reject("{}: {} expects one value for each of {} channels, got {} (input {})", name, role,
           x.size(1), describe(values), describe(x));
  }
}

Tensor by_channel(const Tensor& values, const Tensor& x) {
  if (!values.defined()) return values;
  Shape shape{values.size(0)};
  while (shape.rank() + 1 < x.rank()) shape.push_back(1);
  return values.reshape(shape);
}

}  // namespace backplane::detail
