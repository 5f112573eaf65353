// scatter_add: x, and elements of source added at their positions along an axis.
#include "backend.hpp"
#include "index.hpp"

namespace backplane::reference {
namespace {

template <class Value>
void scatter_add_as(const Call& call, const Indexed& lines) {
  auto y = call.load<Value>(0);
  const auto index = call.load<std::int64_t>(1);
  const auto source = call.load<Value>(2);
  lines.for_each([&](std::int64_t first_y, std::int64_t first) {
    for (std::int64_t i = 0; i < lines.index.length; ++i) {
      const std::int64_t at = first + i * lines.index.step;
      if (lines.in_range(index[at])) y[first_y + index[at] * lines.x.step] += source[at];
    }
  });
  call.store(0, std::move(y));
  report_out_of_range(call, 1, lines.x.length);
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ScatterAdd& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::ScatterAdd>, request);
  check.arguments({{"x", any_number}, {"index", only(BP_I64)}, {"source", any_number}},
                  {{"y", any_number}});
  const bp_tensor_desc &x = request.inputs[0], &index = request.inputs[1];
  const bp_tensor_desc &source = request.inputs[2], &y = request.outputs[0];
  check.same_dims(source, "source", index);
  check.same_dims(y, "y", x);
  check_kind(check, x, y);
  check_kind(check, source, y);
  const Indexed lines = indexed_along(check, x, index, op.axis);
  return make_plan<op::ScatterAdd>(request, [lines, floats = is_floating(x)](const Call& call) {
    floats ? scatter_add_as<double>(call, lines) : scatter_add_as<std::uint64_t>(call, lines);
  });
}

}  // namespace backplane::reference
