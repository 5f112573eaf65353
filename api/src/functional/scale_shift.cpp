// scale_shift: x * scale + shift, where scale and shift repeat.
#include "functional/operands.hpp"

namespace backplane {

using detail::SavedTensor;

Tensor scale_shift(const Tensor& x, const Tensor& scale, const Tensor& shift) {
  detail::check_floating("scale_shift", x);
  detail::check_same_type("scale_shift", x, scale);
  detail::check_same_type("scale_shift", x, shift);
  const Tensor y = detail::run(
      Operation(op::ScaleShift{}),
      {x, scale.detach().expand(x.shape()), shift.detach().expand(x.shape())}, detail::like(x));
  if (!detail::records({x, scale, shift})) return y;
  return detail::record("scale_shift", {x, scale, shift}, y,
                        [x = SavedTensor(x), scale = SavedTensor(scale),
                         as = shift.shape()](const detail::BackwardCall& call) {
                          const Tensor &dy = call.gradient, &factor = scale.get("scale_shift");
                          std::vector<Tensor> grads(3);
                          if (call.needs(0)) grads[0] = mul(dy, factor);
                          if (call.needs(1)) {
                            grads[1] =
                                detail::sum_to(mul(dy, x.get("scale_shift")), factor.shape());
                          }
                          if (call.needs(2)) grads[2] = detail::sum_to(dy, as);
                          return grads;
                        });
}

}  // namespace backplane
