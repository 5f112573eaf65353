// conv2d_activation: the convolution, then bias and function in one kernel.
#include "epilogue.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Conv2dActivation& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::Conv2dActivation>, request);
  check.arguments({{"input", factor_types()}, {"weight", factor_types()}, {"bias", f32, true}},
                  {{"y"}});
  check.rank(request.outputs[0], "y", 4);
  return plan_activated(check, op, 1, request,
                        [&](auto& sum) { return part(op::Conv2d{op}, sum); });
}

}  // namespace backplane::card
