// Comparisons, logic on their results, and the choice between two tensors.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

// Truth values are u8: functions give 1 for true and 0 for false, and take whatever isn't 0 as
// true. All of these broadcast as NumPy does, and have no gradient but where().

// Of floats or integers of one type. A NaN is unequal to everything, and neither less nor greater.
[[nodiscard]] Tensor equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor not_equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor less(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor less_equal(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor greater(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor greater_equal(const Tensor& a, const Tensor& b);

// A number takes the tensor's type: in f32, 0.1 is the float next to it. Error where an integer
// type doesn't have it.
[[nodiscard]] Tensor equal(const Tensor& x, double value);
[[nodiscard]] Tensor not_equal(const Tensor& x, double value);
[[nodiscard]] Tensor less(const Tensor& x, double value);
[[nodiscard]] Tensor less_equal(const Tensor& x, double value);
[[nodiscard]] Tensor greater(const Tensor& x, double value);
[[nodiscard]] Tensor greater_equal(const Tensor& x, double value);

// Of truth values; Error for another type than u8.
[[nodiscard]] Tensor logical_and(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_or(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_xor(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_not(const Tensor& x);

[[nodiscard]] Tensor is_nan(const Tensor& x);
[[nodiscard]] Tensor is_finite(const Tensor& x);  // neither infinite nor NaN

// a where the condition is true, else b; a and b of one type, whichever. What isn't chosen leaves
// no trace, and its gradient is 0: mask what a function is given, too, where its slope is infinite.
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

}  // namespace backplane
