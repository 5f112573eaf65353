// relu and its gradient.
#include "cpu/relu.h"

#include "backend.hpp"
#include "check.hpp"
#include "elementwise.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Relu&, plugin::Request& request) {
  const Check check(op::row_of<op::Relu>, request);
  check.inputs(1, 1);
  check.outputs(1, 1);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.same_dims(x, "x", y);
  check.that(x.dtype == y.dtype, "x and y have one dtype");
  return with_float(check, y.dtype, [&]<class T>(T) {
    settle_elementwise(request);
    request.implementation = "vector loop";
    return make_plan(
        request, [nest = Nest({&y, &x}), threads = request.threads](const plugin::HostRun& run) {
          const T* src = run.input<T>(0);
          T* dst = run.output<T>(0);
          nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
            cpu::relu(plane, strided(src, at[1]), strided(dst, at[0]));
          });
        });
  });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::ReluBackward&,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::ReluBackward>, request);
  check.inputs(2, 2);
  check.outputs(1, 1);
  const bp_tensor_desc &dy = request.inputs[0], &y = request.inputs[1], &dx = request.outputs[0];
  check.same_dims(dy, "dy", dx);
  check.same_dims(y, "y", dx);
  check.that(dy.dtype == dx.dtype && y.dtype == dx.dtype, "dy, y and dx have one dtype");
  return with_float(check, dx.dtype, [&]<class T>(T) {
    settle_elementwise(request);
    request.implementation = "vector loop";
    return make_plan(request, [nest = Nest({&dx, &dy, &y}),
                               threads = request.threads](const plugin::HostRun& run) {
      const T *diff_dst = run.input<T>(0), *dst = run.input<T>(1);
      T* diff_src = run.output<T>(0);
      nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
        cpu::relu_backward(plane, strided(diff_dst, at[1]), strided(dst, at[2]),
                           strided(diff_src, at[0]));
      });
    });
  });
}

}  // namespace backplane::onednn
