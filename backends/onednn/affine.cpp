// affine: one scale and one shift, which come with each run.
#include "cpu/affine.h"

#include "backend.hpp"
#include "check.hpp"
#include "elementwise.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Affine&, plugin::Request& request) {
  const Check check(op::row_of<op::Affine>, request);
  check.inputs(1, 1);
  check.outputs(1, 1);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.same_dims(x, "x", y);
  check.that(x.dtype == y.dtype, "x and y have one dtype");
  return with_number(check, y.dtype, [&]<class T>(T) {
    settle_elementwise(request);
    request.implementation = "vector loop";
    return make_plan(request, [nest = Nest({&y, &x}),
                               threads = request.threads](const plugin::HostRun& run) {
      const auto scalars = plugin::read_scalars<op::Affine>(run.run);
      const T* src = run.input<T>(0);
      T* dst = run.output<T>(0);
      nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
        cpu::affine(plane, scalars.scale, scalars.shift, strided(src, at[1]), strided(dst, at[0]));
      });
    });
  });
}

}  // namespace backplane::onednn
