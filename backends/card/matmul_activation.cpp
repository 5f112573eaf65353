// matmul_activation: the product, then bias and function in one kernel.
#include "epilogue.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::MatmulActivation& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::MatmulActivation>, request);
  check.arguments({{"a", factor_types()}, {"b", factor_types()}, {"bias", f32, true}}, {{"y"}});
  const bp_tensor_desc& y = request.outputs[0];
  check.that(y.rank >= 2, "y must have rank 2 or more, is " + describe(y));
  check.that(request.inputs.size() < 3 || y.rank == 2,
             "a bias comes with rank 2 only, y is " + describe(y));
  return plan_activated(check, op, y.rank - 1, request,
                        [&](auto& sum) { return part(op::Matmul{}, sum); });
}

}  // namespace backplane::card
