// mean: the sum over the axes whose bit is set, divided by how many elements it has.
#include "backend.hpp"
#include "reduce.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Mean& op, plugin::Request& request) {
  Check check(op::row_of<op::Mean>, request);
  check.arguments({{"x", floating}}, {{"y", floating}});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check_reduced(check, x, y, op.axes);
  double summands = 1;
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    if ((op.axes >> axis & 1) != 0) summands *= static_cast<double>(x.dims[axis]);
  }
  return make_plan<op::Mean>(request, [target = target_of_each(x, op.axes),
                                       count = element_count(y), summands](const Call& call) {
    auto y = sums(call.load(0), target, count);
    for (double& value : y) value /= summands;  // 0 / 0, a NaN, where there are none
    call.store(0, std::move(y));
  });
}

}  // namespace backplane::reference
