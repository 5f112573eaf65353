// flip: a copy whose source is walked backwards.
#include "backend.hpp"
#include "bits.hpp"
#include "check.hpp"
#include "layout.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Flip& op, plugin::Request& request) {
  const Check check(op::row_of<op::Flip>, request);
  check.inputs(1, 1);
  check.outputs(1, 1);
  bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.same_dims(x, "x", y);
  check.that(x.dtype == y.dtype, "x and y have one dtype");
  check.that(op.axes >> x.rank == 0, "an axis is past the rank of " + describe(x));
  if (block_of(x) != 0) set_row_major(x);
  if (y.layout == BP_LAYOUT_ANY) set_like(y, x);
  bp_tensor_desc backwards = x;
  std::int64_t first = 0;
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    if ((op.axes >> axis & 1) == 0) continue;
    first += (x.dims[axis] - 1) * x.strides[axis];
    backwards.strides[axis] = -x.strides[axis];
  }
  request.implementation = "copy";
  return with_bits(element_bytes(y), [&]<class Bits>(Bits) {
    return make_plan(request, [nest = Nest({&y, &backwards}), first,
                               threads = request.threads](const plugin::HostRun& run) {
      if (nest.elements() == 0) return;
      copy(nest, threads, run.input<Bits>(0) + first, run.output<Bits>(0));
    });
  });
}

}  // namespace backplane::onednn
