// arg_max: where along an axis the maximum stands.
#include "backend.hpp"
#include "lines.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

// NaN is what differs from itself; of integers, none does.
template <class Value>
void arg_max_as(const Call& call, const Lines& lines) {
  const auto x = call.load<Value>(0);
  std::vector<std::int64_t> y;
  lines.for_each([&](std::int64_t first) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < lines.length; ++i) {
      const Value leader = x[first + best * lines.step], value = x[first + i * lines.step];
      if (value > leader || (value != value && leader == leader)) best = i;
    }
    y.push_back(best);
  });
  call.store(0, std::move(y));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ArgMax& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::ArgMax>, request);
  check.arguments({{"x", any_number}}, {{"y", only(BP_I64)}});
  const bp_tensor_desc& x = request.inputs[0];
  const Lines lines = lines_along(check, x, op.axis);
  bp_tensor_desc reduced = x;
  reduced.dims[op.axis] = 1;
  check.same_dims(request.outputs[0], "y", reduced);
  check.that(lines.length > 0 || element_count(reduced) == 0, "an empty axis has no maximum");
  return make_plan<op::ArgMax>(request, [lines, floats = is_floating(x)](const Call& call) {
    floats ? arg_max_as<double>(call, lines) : arg_max_as<std::int64_t>(call, lines);
  });
}

}  // namespace backplane::reference
