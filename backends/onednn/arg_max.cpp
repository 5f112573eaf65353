// arg_max and arg_min along one axis.
#include "cpu/arg_max.h"

#include "backend.hpp"
#include "rowwise.hpp"

namespace backplane::onednn {
namespace {

// position(count, src, stride) of each row.
template <class Op, class Position>
std::unique_ptr<plugin::Plan> plan_position(plugin::Request& request, std::int32_t axis,
                                            Position position) {
  const Check check(op::row_of<Op>, request);
  check.inputs(1, 1);
  check.outputs(1, 1);
  bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check_axis(check, x, axis);
  check.dtype(y, "y", {BP_I64});
  const std::int64_t count = x.dims[axis];
  check.same_dims(y, "y", positions_of(x, axis));
  check.that(count > 0 || element_count(y) == 0, "there is no element to choose along the axis");
  return with_number(check, x.dtype, [&]<class T>(T) {
    want_rows(x, axis);
    if (y.layout == BP_LAYOUT_ANY) set_row_major(y);
    const bp_tensor_desc starts = positions_of(x, axis);
    const unsigned parts = parts_for(element_count(x), request.threads);
    request.implementation = "loop along rows";
    return make_plan(request, [=, nest = Nest({&y, &starts}),
                               stride = x.strides[axis]](const plugin::HostRun& run) {
      if (nest.elements() == 0) return;
      in_parallel(parts, [&](unsigned part) {
        nest.run_part(part, parts, [&](cpu::Plane plane, const Nest::Steps& at) {
          for (std::int64_t row = 0; row < plane.rows; ++row) {
            for (std::int64_t i = 0; i < plane.count; ++i) {
              const T* src =
                  run.input<T>(0) + at[1].offset + row * at[1].row_stride + i * at[1].stride;
              std::int64_t* dst = run.output<std::int64_t>(0) + at[0].offset +
                                  row * at[0].row_stride + i * at[0].stride;
              *dst = position(count, src, stride);
            }
          }
        });
      });
    });
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::ArgMax& op, plugin::Request& request) {
  return plan_position<op::ArgMax>(request, op.axis,
                                   [](auto... row) { return cpu::arg_max(row...); });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::ArgMin& op, plugin::Request& request) {
  return plan_position<op::ArgMin>(request, op.axis,
                                   [](auto... row) { return cpu::arg_min(row...); });
}

}  // namespace backplane::onednn
