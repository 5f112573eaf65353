// prod, max, min: over the axes whose bit is set, in row-major order.
#include <functional>

#include "backend.hpp"
#include "reduce.hpp"

namespace backplane::reference {
namespace {

enum class Empty { refused, one };

// Integers are combined as `Integer`: unsigned ones wrap, signed ones compare.
template <class Op, class Integer, class Combine>
std::unique_ptr<plugin::Plan> plan_fold(plugin::Request& request, std::uint32_t axes, Empty empty,
                                        Combine combine) {
  Check check(op::row_of<Op>, request);
  check.numbers({"x"});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check_reduced(check, x, y, axes);
  check.that(empty == Empty::one || element_count(x) > 0 || element_count(y) == 0,
             "there is no element to choose along the axes");
  return make_plan<Op>(request, [target = target_of_each(x, axes), count = element_count(y),
                                 floats = is_floating(y), combine](const Call& call) {
    if (floats) {
      call.store(0, folded(call.load(0), target, count, 1.0, combine));
    } else {
      call.store(0, folded(call.load<Integer>(0), target, count, Integer{1}, combine));
    }
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Prod& op, plugin::Request& request) {
  return plan_fold<op::Prod, std::uint64_t>(request, op.axes, Empty::one, std::multiplies<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Max& op, plugin::Request& request) {
  return plan_fold<op::Max, std::int64_t>(request, op.axes, Empty::refused,
                                          [](auto a, auto b) { return a >= b || a != a ? a : b; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Min& op, plugin::Request& request) {
  return plan_fold<op::Min, std::int64_t>(request, op.axes, Empty::refused,
                                          [](auto a, auto b) { return a <= b || a != a ? a : b; });
}

}  // namespace backplane::reference
