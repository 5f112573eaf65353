// gather: elements of x, by their positions along an axis.
#include "backend.hpp"
#include "index.hpp"

namespace backplane::reference {
namespace {

template <class Value>
void gather_as(const Call& call, const Indexed& lines) {
  const auto x = call.load<Value>(0);
  const auto index = call.load<std::int64_t>(1);
  std::vector<Value> y(index.size());
  lines.for_each([&](std::int64_t first_x, std::int64_t first) {
    for (std::int64_t i = 0; i < lines.index.length; ++i) {
      const std::int64_t at = first + i * lines.index.step;
      if (lines.in_range(index[at])) y[at] = x[first_x + index[at] * lines.x.step];
    }
  });
  call.store(0, std::move(y));
  report_out_of_range(call, 1, lines.x.length);
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Gather& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Gather>, request);
  check.arguments({{"x", any_number}, {"index", only(BP_I64)}}, {{"y", any_number}});
  const bp_tensor_desc &x = request.inputs[0], &index = request.inputs[1];
  check.same_dims(request.outputs[0], "y", index);
  check_kind(check, x, request.outputs[0]);
  const Indexed lines = indexed_along(check, x, index, op.axis);
  return make_plan<op::Gather>(request, [lines, floats = is_floating(x)](const Call& call) {
    floats ? gather_as<double>(call, lines) : gather_as<std::int64_t>(call, lines);
  });
}

}  // namespace backplane::reference
