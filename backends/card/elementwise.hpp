// Plans of operations that work element by element on one type, in floats or in integers.
#pragma once

#include <type_traits>

#include "check.hpp"
#include "plan.hpp"

namespace backplane::card {

// y = kernel(a, b), with the kernel of the type's family.
template <class Op, class... Parameters>
std::unique_ptr<plugin::Plan> plan_binary(plugin::Request& request,
                                          Kernel<Parameters...> for_floats,
                                          Kernel<Parameters...> for_integers) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"a", floats | integers}, {"b", floats | integers}}, {{"y", floats | integers}});
  check.one_type();
  check.one_shape();
  const bp_tensor_desc& y = request.outputs[0];
  const auto kernel = is_integer(y) ? for_integers : for_floats;
  return make_plan<Op>(request, "elementwise kernel",
                       [kernel, walk = nest({&y, &request.inputs[0], &request.inputs[1]}),
                        dtype = static_cast<i32>(y.dtype)](const Call& call) {
                         launch(call.queue, kernel, items(walk.count), walk, call.output(0),
                                call.input(0), call.input(1), dtype);
                       });
}

// y = kernel(x, values...), in floats.
template <class Op, class... Parameters>
std::unique_ptr<plugin::Plan> plan_unary(plugin::Request& request,
                                         Kernel<Nest, Memory, Memory, i32, Parameters...> kernel,
                                         std::type_identity_t<Parameters>... values) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"x", floats}}, {{"y", floats}});
  check.one_type();
  check.one_shape();
  const bp_tensor_desc& y = request.outputs[0];
  return make_plan<Op>(request, "elementwise kernel",
                       [kernel, walk = nest({&y, &request.inputs[0]}),
                        dtype = static_cast<i32>(y.dtype), values...](const Call& call) {
                         launch(call.queue, kernel, items(walk.count), walk, call.output(0),
                                call.input(0), dtype, values...);
                       });
}

// output = kernel(first, second, values...), in floats. The names are those of messages.
template <class Op, class... Parameters>
std::unique_ptr<plugin::Plan> plan_pair(
    plugin::Request& request, const char* first, const char* second, const char* output,
    Kernel<Nest, Memory, Memory, Memory, i32, Parameters...> kernel,
    std::type_identity_t<Parameters>... values) {
  Check check(op::row_of<Op>, request);
  check.arguments({{first, floats}, {second, floats}}, {{output, floats}});
  check.one_type();
  check.one_shape();
  const bp_tensor_desc& y = request.outputs[0];
  return make_plan<Op>(request, "elementwise kernel",
                       [kernel, walk = nest({&y, &request.inputs[0], &request.inputs[1]}),
                        dtype = static_cast<i32>(y.dtype), values...](const Call& call) {
                         launch(call.queue, kernel, items(walk.count), walk, call.output(0),
                                call.input(0), call.input(1), dtype, values...);
                       });
}

// dx = kernel(dy, saved, values...), where `saved` is "x" or "y".
template <class Op, class... Parameters>
std::unique_ptr<plugin::Plan> plan_gradient(
    plugin::Request& request, const char* saved,
    Kernel<Nest, Memory, Memory, Memory, i32, Parameters...> kernel,
    std::type_identity_t<Parameters>... values) {
  return plan_pair<Op>(request, "dy", saved, "dx", kernel, values...);
}

}  // namespace backplane::card
