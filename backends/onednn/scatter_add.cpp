// scatter_add: a copy, then lines along the axis, each added to by one thread, in order.
#include "cpu/scatter_add.h"

#include "backend.hpp"
#include "bits.hpp"
#include "index.hpp"
#include "rowwise.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::ScatterAdd& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::ScatterAdd>, request);
  check.inputs(3, 3);
  check.outputs(1, 1);
  bp_tensor_desc &x = request.inputs[0], &index = request.inputs[1], &source = request.inputs[2];
  bp_tensor_desc& y = request.outputs[0];
  settle_index(check, x, index, op.axis);
  check.same_dims(source, "source", index);
  check.same_dims(y, "y", x);
  check.that(x.dtype == y.dtype && source.dtype == y.dtype, "x, source and y have one dtype");
  if (block_of(source) != 0) set_row_major(source);
  settle_strided(check, y);
  const bp_tensor_desc to = positions_of(y, op.axis), from = positions_of(source, op.axis);
  const bp_tensor_desc at_index = positions_of(index, op.axis);
  request.implementation = "loop along lines";
  return with_number(check, y.dtype, [&]<class T>(T) {
    return make_plan(
        request,
        [copied = Nest({&y, &x}), lines = Nest({&to, &from, &at_index}),
         range = RangeCheck(index, x.dims[op.axis]), terms = index.dims[op.axis],
         limit = x.dims[op.axis], to_step = y.strides[op.axis], from_step = source.strides[op.axis],
         index_step = index.strides[op.axis], bytes = element_bytes(y), threads = request.threads,
         parts = parts_for(element_count(source), request.threads)](const plugin::HostRun& run) {
          with_bits(bytes, [&]<class Bits>(Bits) {
            copy(copied, threads, run.input<Bits>(0), run.output<Bits>(0));
          });
          if (lines.elements() == 0) return;
          const auto* indices = run.input<std::int64_t>(1);
          const T* src = run.input<T>(2);
          T* dst = run.output<T>(0);
          in_parallel(parts, [&](unsigned part) {
            lines.run_part(part, parts, [&](cpu::Plane plane, const Nest::Steps& at) {
              cpu::scatter_add<T>(plane, terms, limit, {strided(indices, at[2]), index_step},
                                  {strided(src, at[1]), from_step}, {strided(dst, at[0]), to_step});
            });
          });
          range.report(run, 1);
        });
  });
}

}  // namespace backplane::onednn
