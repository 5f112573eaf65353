// sum: over the axes whose bit is set, in row-major order; integers wrap.
#include "backend.hpp"
#include "reduce.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Sum& op, plugin::Request& request) {
  Check check(op::row_of<op::Sum>, request);
  check.numbers({"x"});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check_reduced(check, x, y, op.axes);
  return make_plan<op::Sum>(request, [target = target_of_each(x, op.axes), count = element_count(y),
                                      floats = is_floating(y)](const Call& call) {
    if (floats) {
      call.store(0, sums(call.load(0), target, count));
    } else {
      call.store(0, sums(call.load<std::uint64_t>(0), target, count));
    }
  });
}

}  // namespace backplane::reference
