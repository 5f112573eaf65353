// gather along one axis.
#include "cpu/gather.h"

#include "backend.hpp"
#include "bits.hpp"
#include "index.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Gather& op, plugin::Request& request) {
  const Check check(op::row_of<op::Gather>, request);
  check.inputs(2, 2);
  check.outputs(1, 1);
  bp_tensor_desc &x = request.inputs[0], &index = request.inputs[1], &y = request.outputs[0];
  settle_index(check, x, index, op.axis);
  check.same_dims(y, "y", index);
  check.that(x.dtype == y.dtype, "x and y have one dtype");
  settle_strided(check, y);
  bp_tensor_desc starts = y;  // where in x each element of y counts from
  std::copy(x.strides, x.strides + x.rank, starts.strides);
  starts.strides[op.axis] = 0;
  request.implementation = "loop";
  return with_bits(element_bytes(y), [&]<class Bits>(Bits) {
    return make_plan(
        request, [nest = Nest({&y, &starts, &index}), range = RangeCheck(index, x.dims[op.axis]),
                  limit = x.dims[op.axis], step = x.strides[op.axis],
                  threads = request.threads](const plugin::HostRun& run) {
          const Bits* src = run.input<Bits>(0);
          const auto* indices = run.input<std::int64_t>(1);
          Bits* dst = run.output<Bits>(0);
          nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
            cpu::gather(plane, limit, strided(indices, at[2]), strided(src, at[1]), step,
                        strided(dst, at[0]));
          });
          range.report(run, 1);
        });
  });
}

}  // namespace backplane::onednn
