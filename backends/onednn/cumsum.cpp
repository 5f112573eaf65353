// cumsum along one axis.
#include "cpu/cumsum.h"

#include "backend.hpp"
#include "rowwise.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Cumsum& op, plugin::Request& request) {
  const Check check(op::row_of<op::Cumsum>, request);
  check.inputs(1, 1);
  check.outputs(1, 1);
  bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check_axis(check, y, op.axis);
  check.same_dims(x, "x", y);
  check.that(x.dtype == y.dtype, "x and y have one dtype");
  if (block_of(y) != 0) throw check.unsupported("the output has no blocks of channels");
  check.that(op.reverse <= 1, "reverse is 0 or 1, not " + std::to_string(op.reverse));
  return with_number(check, y.dtype, [&]<class T>(T) {
    want_rows(x, op.axis);
    if (y.layout == BP_LAYOUT_ANY) set_like(y, x);
    const std::int64_t count = y.dims[op.axis];
    const bp_tensor_desc to = positions_of(y, op.axis), from = positions_of(x, op.axis);
    const unsigned parts = parts_for(element_count(y), request.threads);
    // Backwards from the last element, or on from the first one.
    const std::int64_t first = op.reverse != 0 ? count - 1 : 0, sign = op.reverse != 0 ? -1 : 1;
    const std::int64_t src_stride = x.strides[op.axis], dst_stride = y.strides[op.axis];
    request.implementation = "loop along rows";
    return make_plan(request, [=, nest = Nest({&to, &from})](const plugin::HostRun& run) {
      if (count == 0 || nest.elements() == 0) return;
      in_parallel(parts, [&](unsigned part) {
        nest.run_part(part, parts, [&](cpu::Plane plane, const Nest::Steps& at) {
          for (std::int64_t row = 0; row < plane.rows; ++row) {
            for (std::int64_t i = 0; i < plane.count; ++i) {
              const T* src = run.input<T>(0) + at[1].offset + row * at[1].row_stride +
                             i * at[1].stride + first * src_stride;
              T* dst = run.output<T>(0) + at[0].offset + row * at[0].row_stride + i * at[0].stride +
                       first * dst_stride;
              cpu::cumsum(count, src, sign * src_stride, dst, sign * dst_stride);
            }
          }
        });
      });
    });
  });
}

}  // namespace backplane::onednn
