// Two operands, element by element.
#pragma once

#include "check.hpp"
#include "elementwise.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {

// y = kernel(a, b), where the kernel is generic over the element type.
template <class Op, class Kernel>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_binary(plugin::Request& request, Kernel kernel) {
  const Check check(op::row_of<Op>, request);
  check.inputs(2, 2);
  check.outputs(1, 1);
  const bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1], &y = request.outputs[0];
  check.same_dims(a, "a", y);
  check.same_dims(b, "b", y);
  check.that(a.dtype == y.dtype && b.dtype == y.dtype, "a, b and y have one dtype");
  return with_number(check, y.dtype, [&]<class T>(T) {
    settle_elementwise(request);
    request.implementation = "vector loop";
    return make_plan(request, [nest = Nest({&y, &a, &b}), threads = request.threads,
                               kernel](const plugin::HostRun& run) {
      const T *first = run.input<T>(0), *second = run.input<T>(1);
      T* dst = run.output<T>(0);
      nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
        kernel(plane, strided(first, at[1]), strided(second, at[2]), strided(dst, at[0]));
      });
    });
  });
}

}  // namespace backplane::onednn
