// Plans of operations that work element by element.
#pragma once

#include <algorithm>

#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {

template <class Value, class Combine>
void combine_as(const Call& call, Combine combine) {
  const auto a = call.load<Value>(0);
  const auto b = call.load<Value>(1);
  std::vector<Value> y(a.size());
  std::ranges::transform(a, b, y.begin(), combine);
  call.store(0, std::move(y));
}

// y = combine(a, b), of integers as `Integer`: unsigned ones wrap, signed ones compare.
template <class Op, class Integer = std::uint64_t, class Combine>
std::unique_ptr<plugin::Plan> plan_binary(plugin::Request& request, Combine combine) {
  Check check(op::row_of<Op>, request);
  check.numbers({"a", "b"});
  const bp_tensor_desc& y = request.outputs[0];
  check.same_dims(request.inputs[0], "a", y);
  check.same_dims(request.inputs[1], "b", y);
  const bool floats = is_floating(y);
  return make_plan<Op>(request, [floats, combine](const Call& call) {
    floats ? combine_as<double>(call, combine) : combine_as<Integer>(call, combine);
  });
}

// y = function(x), of floating types.
template <class Op, class Function>
std::unique_ptr<plugin::Plan> plan_unary(plugin::Request& request, Function function) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"x", floating}}, {{"y", floating}});
  check.same_dims(request.inputs[0], "x", request.outputs[0]);
  return make_plan<Op>(request, [function](const Call& call) {
    auto y = call.load(0);
    std::ranges::transform(y, y.begin(), function);
    call.store(0, std::move(y));
  });
}

// output = combine(first, second), of floating types. The names are those of messages.
template <class Op, class Combine>
std::unique_ptr<plugin::Plan> plan_floats(plugin::Request& request, const char* first,
                                          const char* second, const char* output, Combine combine) {
  Check check(op::row_of<Op>, request);
  check.arguments({{first, floating}, {second, floating}}, {{output, floating}});
  check.same_dims(request.inputs[0], first, request.outputs[0]);
  check.same_dims(request.inputs[1], second, request.outputs[0]);
  return make_plan<Op>(request, [combine](const Call& call) { combine_as<double>(call, combine); });
}

// dx = gradient(dy, saved), where `saved` is "x" or "y".
template <class Op, class Gradient>
std::unique_ptr<plugin::Plan> plan_gradient(plugin::Request& request, const char* saved,
                                            Gradient gradient) {
  return plan_floats<Op>(request, "dy", saved, "dx", gradient);
}

}  // namespace backplane::reference
