// arg_max and arg_min: where along an axis the extremum stands.
#include <functional>

#include "backend.hpp"
#include "lines.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

// NaN is what differs from itself; of integers, none does.
template <class Value, class Wins>
void position_as(const Call& call, const Lines& lines, Wins wins) {
  const auto x = call.load<Value>(0);
  std::vector<std::int64_t> y;
  lines.for_each([&](std::int64_t first) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < lines.length; ++i) {
      const Value leader = x[first + best * lines.step], value = x[first + i * lines.step];
      if (wins(value, leader) || (value != value && leader == leader)) best = i;
    }
    y.push_back(best);
  });
  call.store(0, std::move(y));
}

template <class Op, class Wins>
std::unique_ptr<plugin::Plan> plan_position(plugin::Request& request, std::int32_t axis,
                                            Wins wins) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"x", any_number}}, {{"y", only(BP_I64)}});
  const bp_tensor_desc& x = request.inputs[0];
  const Lines lines = lines_along(check, x, axis);
  bp_tensor_desc reduced = x;
  reduced.dims[axis] = 1;
  check.same_dims(request.outputs[0], "y", reduced);
  check.that(lines.length > 0 || element_count(reduced) == 0,
             "there is no element to choose along the axis");
  return make_plan<Op>(request, [lines, floats = is_floating(x), wins](const Call& call) {
    floats ? position_as<double>(call, lines, wins) : position_as<std::int64_t>(call, lines, wins);
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ArgMax& op,
                                                    plugin::Request& request) {
  return plan_position<op::ArgMax>(request, op.axis, std::greater<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ArgMin& op,
                                                    plugin::Request& request) {
  return plan_position<op::ArgMin>(request, op.axis, std::less<>{});
}

}  // namespace backplane::reference
