// Functions of one element: what check, run and record look like for all of them.
#pragma once

#include <utility>

#include "functional/operands.hpp"

namespace backplane::detail {

// What the gradient of a function is computed from, beside dy.
enum class Saves { input, output };

// y = the operation on x; gradient(dy, saved) is called backward.
template <class Gradient>
Tensor elementwise(const char* name, const Operation& operation, const Tensor& x, Saves saves,
                   Gradient gradient) {
  check_floating(name, x);
  const Tensor y = run(operation, {x}, like(x));
  if (!records({x})) return y;
  return record(name, {x}, y,
                [name, saved = SavedTensor(saves == Saves::input ? x : y),
                 gradient = std::move(gradient)](const BackwardCall& call) {
                  return std::vector<Tensor>{gradient(call.gradient, saved.get(name))};
                });
}

// As above, where the gradient depends on dy alone.
template <class Gradient>
Tensor elementwise(const char* name, const Operation& operation, const Tensor& x,
                   Gradient gradient) {
  check_floating(name, x);
  return record(name, {x}, run(operation, {x}, like(x)),
                [gradient = std::move(gradient)](const BackwardCall& call) {
                  return std::vector<Tensor>{gradient(call.gradient)};
                });
}

// As the first one, where the gradient is one operation.
template <class Backward>
  requires(op::row_of<Backward>.id != 0)
Tensor elementwise(const char* name, const Operation& operation, const Tensor& x, Saves saves,
                   Backward backward) {
  return elementwise(name, operation, x, saves, [backward](const Tensor& dy, const Tensor& saved) {
    return run(Operation(backward), {dy, saved}, like(saved));
  });
}

}  // namespace backplane::detail
