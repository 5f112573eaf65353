// NumPy's broadcasting, and C++ scalars as operands.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "functional/operands.hpp"

namespace backplane::detail {

// The shape to which all of them broadcast, if there is one.
[[nodiscard]] std::optional<Shape> common_shape(std::span<const Shape> shapes);
// That of the operands; Error, in the name of the function, where there is none.
[[nodiscard]] Shape broadcast(const char* name, std::initializer_list<Tensor> operands);

// The operand, repeated to the common shape by strides of 0; outside the graph.
[[nodiscard]] Tensor spread(const Tensor& x, const Shape& shape);

// y = operation(a, b) of one type; y has it as well, or is of truth values.
[[nodiscard]] Tensor binary(const char* name, const Operation& operation, const Tensor& a,
                            const Tensor& b);
[[nodiscard]] Tensor predicate(const char* name, const Operation& operation, const Tensor& a,
                               const Tensor& b);

// A tensor of rank 0 beside `x`, of its type. Error if that type hasn't the value, but for the
// rounding of fractions in floating types.
[[nodiscard]] Tensor scalar_like(const char* name, const Tensor& x, double value);

}  // namespace backplane::detail
