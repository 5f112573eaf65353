// Reductions over chosen axes.
#pragma once

#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {

// x with 1 in the place of each reduced dim: what y looks like.
[[nodiscard]] inline bp_tensor_desc reduced(const bp_tensor_desc& x, std::uint32_t axes) {
  bp_tensor_desc y = x;
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    if ((axes >> axis & 1) != 0) y.dims[axis] = 1;
  }
  return y;
}

// x's dims with the strides of a dense y, 0 along the summed axes: a walk over x that says where
// in y each element goes.
[[nodiscard]] inline bp_tensor_desc target_of_each(const bp_tensor_desc& x, std::uint32_t axes) {
  bp_tensor_desc y = reduced(x, axes);
  set_dense_strides(y);
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    y.dims[axis] = x.dims[axis];
    if ((axes >> axis & 1) != 0) y.strides[axis] = 0;
  }
  return y;
}

template <class Value>
[[nodiscard]] std::vector<Value> sums(const std::vector<Value>& x, const bp_tensor_desc& target,
                                      std::int64_t count) {
  std::vector<Value> y(static_cast<std::size_t>(count));
  const Value* next = x.data();
  for_each_offset(target, [&](std::int64_t position) { y[position] += *next++; });
  return y;
}

// y = combine(y, next) from the first element on; `of_none` where there is none.
template <class Value, class Combine>
[[nodiscard]] std::vector<Value> folded(const std::vector<Value>& x, const bp_tensor_desc& target,
                                        std::int64_t count, Value of_none, Combine combine) {
  std::vector<Value> y(static_cast<std::size_t>(count), of_none);
  std::vector<bool> begun(y.size());
  const Value* next = x.data();
  for_each_offset(target, [&](std::int64_t position) {
    y[position] = begun[position] ? combine(y[position], *next) : *next;
    begun[position] = true;
    ++next;
  });
  return y;
}

inline void check_reduced(const Check& check, const bp_tensor_desc& x, const bp_tensor_desc& y,
                          std::uint32_t axes) {
  check.that(axes >> x.rank == 0, "an axis is past the rank of x, " + std::to_string(x.rank));
  check.same_dims(y, "y", reduced(x, axes));
}

}  // namespace backplane::reference
