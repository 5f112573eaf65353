// How an operation joins the graph.
#pragma once

#include <initializer_list>
#include <span>
#include <utility>

#include "autograd/node.hpp"
#include "backplane/tensor.hpp"

namespace backplane::detail {

// Whether an operation on these inputs would be recorded on this thread.
[[nodiscard]] bool records(std::span<const Tensor> inputs);
[[nodiscard]] inline bool records(std::initializer_list<Tensor> inputs) {
  return records(std::span(inputs.begin(), inputs.size()));
}

// Makes `result` the differentiable result of `name` if records(inputs); returns it either way.
// Undefined inputs (an absent bias) count as inputs that need no gradient.
// `name` must live as long as the process.
Tensor record(const char* name, std::span<const Tensor> inputs, Tensor result,
              GradientFunction function);
inline Tensor record(const char* name, std::initializer_list<Tensor> inputs, Tensor result,
                     GradientFunction function) {
  return record(name, std::span(inputs.begin(), inputs.size()), std::move(result),
                std::move(function));
}

// The sum of a gradient over the axes along which an operand of that shape was repeated.
[[nodiscard]] Tensor sum_to(const Tensor& gradient, const Shape& shape);

}  // namespace backplane::detail
