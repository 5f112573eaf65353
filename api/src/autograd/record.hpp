// How an operation joins the graph.
#pragma once

#include <initializer_list>

#include "autograd/node.hpp"
#include "backplane/tensor.hpp"

namespace backplane::detail {

// Whether an operation on these inputs would be recorded on this thread.
[[nodiscard]] bool records(std::initializer_list<Tensor> inputs);

// Makes `result` the differentiable result of `name` if records(inputs); returns it either way.
// Undefined inputs (an absent bias) count as inputs that need no gradient.
Tensor record(const char* name, std::initializer_list<Tensor> inputs, Tensor result,
              GradientFunction function);

// The sum of a gradient over the axes along which an operand of that shape was repeated.
[[nodiscard]] Tensor sum_to(const Tensor& gradient, const Shape& shape);

}  // namespace backplane::detail
