// Two operands, element by element.
#pragma once

#include <string>

#include "check.hpp"
#include "elementwise.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {

// What messages call the operands.
struct PairNames {
  const char *first, *second, *output;
};

// output = kernel(first, second), each element a To, of operands that are From.
template <class From, class To, class Kernel>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_pair_of(plugin::Request& request, Kernel kernel) {
  const bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1], &y = request.outputs[0];
  settle_elementwise(request);
  request.implementation = "vector loop";
  return make_plan(request, [nest = Nest({&y, &a, &b}), threads = request.threads,
                             kernel](const plugin::HostRun& run) {
    const From *first = run.input<From>(0), *second = run.input<From>(1);
    To* dst = run.output<To>(0);
    nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
      kernel(plane, strided(first, at[1]), strided(second, at[2]), strided(dst, at[0]));
    });
  });
}

inline void check_pair(const Check& check, const plugin::Request& request, const PairNames& names) {
  check.inputs(2, 2);
  check.outputs(1, 1);
  check.same_dims(request.inputs[0], names.first, request.outputs[0]);
  check.same_dims(request.inputs[1], names.second, request.outputs[0]);
}

inline void check_one_dtype(const Check& check, const plugin::Request& request,
                            const PairNames& names) {
  const std::uint32_t dtype = request.outputs[0].dtype;
  check.that(
      request.inputs[0].dtype == dtype && request.inputs[1].dtype == dtype,
      std::string(names.first) + ", " + names.second + " and " + names.output + " have one dtype");
}

// y = kernel(a, b), where the kernel is generic over the element type.
template <class Op, class Kernel>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_binary(plugin::Request& request, Kernel kernel) {
  const Check check(op::row_of<Op>, request);
  const PairNames names{"a", "b", "y"};
  check_pair(check, request, names);
  check_one_dtype(check, request, names);
  return with_number(check, request.outputs[0].dtype,
                     [&]<class T>(T) { return plan_pair_of<T, T>(request, kernel); });
}

// output = kernel(first, second), where the kernel is generic over float and double.
template <class Op, class Kernel>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_floats(plugin::Request& request,
                                                        const PairNames& names, Kernel kernel) {
  const Check check(op::row_of<Op>, request);
  check_pair(check, request, names);
  check_one_dtype(check, request, names);
  return with_float(check, request.outputs[0].dtype,
                    [&]<class T>(T) { return plan_pair_of<T, T>(request, kernel); });
}

}  // namespace backplane::onednn
