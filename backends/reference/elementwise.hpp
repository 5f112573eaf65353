// Two operands, element by element, for floating and for integer types.
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

// y = combine(a, b); integers wrap.
template <class Op, class Combine>
std::unique_ptr<plugin::Plan> plan_binary(plugin::Request& request, Combine combine) {
  Check check(op::row_of<Op>, request);
  check.numbers({"a", "b"});
  const bp_tensor_desc& y = request.outputs[0];
  check.same_dims(request.inputs[0], "a", y);
  check.same_dims(request.inputs[1], "b", y);
  const bool floats = is_floating(y);
  return make_plan<Op>(request, [floats, combine](const Call& call) {
    floats ? combine_as<double>(call, combine) : combine_as<std::uint64_t>(call, combine);
  });
}

}  // namespace backplane::reference
