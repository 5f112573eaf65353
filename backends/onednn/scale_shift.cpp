// scale_shift: y = x * scale + shift.
#include "cpu/scale_shift.h"

#include "backend.hpp"
#include "check.hpp"
#include "elementwise.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::ScaleShift&, plugin::Request& request) {
  const Check check(op::row_of<op::ScaleShift>, request);
  check.inputs(3, 3);
  check.outputs(1, 1);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const bp_tensor_desc &scale = request.inputs[1], &shift = request.inputs[2];
  check.same_dims(x, "x", y);
  check.same_dims(scale, "scale", y);
  check.same_dims(shift, "shift", y);
  check.that(x.dtype == y.dtype && scale.dtype == y.dtype && shift.dtype == y.dtype,
             "x, scale, shift and y have one dtype");
  return with_float(check, y.dtype, [&]<class T>(T) {
    settle_elementwise(request);
    request.implementation = "vector loop";
    return make_plan(request, [nest = Nest({&y, &x, &scale, &shift}),
                               threads = request.threads](const plugin::HostRun& run) {
      const T *src = run.input<T>(0), *factor = run.input<T>(1), *summand = run.input<T>(2);
      T* dst = run.output<T>(0);
      nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
        cpu::scale_shift(plane, strided(src, at[1]), strided(factor, at[2]),
                         strided(summand, at[3]), strided(dst, at[0]));
      });
    });
  });
}

}  // namespace backplane::onednn
