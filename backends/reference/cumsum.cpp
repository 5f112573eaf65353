// cumsum: running sums along an axis; integers wrap.
#include "backend.hpp"
#include "lines.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

template <class Value>
void cumsum_as(const Call& call, const Lines& lines, bool reverse) {
  auto y = call.load<Value>(0);
  lines.for_each([&](std::int64_t first) {
    Value sum = 0;
    for (std::int64_t i = 0; i < lines.length; ++i) {
      Value& element = y[first + (reverse ? lines.length - 1 - i : i) * lines.step];
      element = sum += element;
    }
  });
  call.store(0, std::move(y));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Cumsum& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Cumsum>, request);
  check.numbers({"x"});
  const bp_tensor_desc& y = request.outputs[0];
  check.same_dims(request.inputs[0], "x", y);
  check.that(op.reverse <= 1, "reverse is 0 or 1, not " + std::to_string(op.reverse));
  const Lines lines = lines_along(check, y, op.axis);
  return make_plan<op::Cumsum>(
      request, [lines, floats = is_floating(y), reverse = op.reverse != 0](const Call& call) {
        floats ? cumsum_as<double>(call, lines, reverse)
               : cumsum_as<std::uint64_t>(call, lines, reverse);
      });
}

}  // namespace backplane::reference
