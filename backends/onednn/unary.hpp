// One operand, or a gradient and what it is computed from, element by element.
#pragma once

#include "binary.hpp"
#include "check.hpp"
#include "cpu/unary.h"
#include "elementwise.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {

// y = kernel(x), where the kernel is generic over float and double.
template <class Op, class Kernel>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_unary(plugin::Request& request, Kernel kernel) {
  const Check check(op::row_of<Op>, request);
  check.inputs(1, 1);
  check.outputs(1, 1);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.same_dims(x, "x", y);
  check.that(x.dtype == y.dtype, "x and y have one dtype");
  return with_float(check, y.dtype, [&]<class T>(T) {
    settle_elementwise(request);
    request.implementation = "vector loop";
    return make_plan(request, [nest = Nest({&y, &x}), threads = request.threads,
                               kernel](const plugin::HostRun& run) {
      const T* src = run.input<T>(0);
      T* dst = run.output<T>(0);
      nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
        kernel(plane, strided(src, at[1]), strided(dst, at[0]));
      });
    });
  });
}

// dx = kernel(dy, saved), where `saved` is "x" or "y".
template <class Op, class Kernel>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_gradient(plugin::Request& request,
                                                          const char* saved, Kernel kernel) {
  return plan_floats<Op>(request, {"dy", saved, "dx"}, kernel);
}

// The kernels of cpu/unary.h in the form that the two take.
template <class Function>
struct Map {
  Function function;
  void operator()(cpu::Plane plane, auto src, auto dst) const {
    cpu::map(function, plane, src, dst);
  }
};
template <class Function>
struct MapGradient {
  Function function;
  void operator()(cpu::Plane plane, auto diff_dst, auto saved, auto diff_src) const {
    cpu::map_gradient(function, plane, diff_dst, saved, diff_src);
  }
};

}  // namespace backplane::onednn
