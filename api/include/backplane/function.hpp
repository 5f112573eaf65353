// Function: a user's own operation with a gradient of its own.
//
//   const Function swish("swish",
//       [](FunctionContext& context, std::span<const Tensor> inputs) {
//         context.save({inputs[0]});
//         return inputs[0] * sigmoid(inputs[0]);
//       },
//       [](const FunctionContext& context, const Tensor& dy) {
//         const Tensor& x = context.saved(0);
//         const Tensor s = sigmoid(x);
//         return std::vector{dy * (s + x * s * affine(s, -1, 1))};
//       });
//   const Tensor y = swish({x});
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backplane/tensor.hpp"

namespace backplane {

// What forward leaves for backward, one for each call.
class FunctionContext {
 public:
  // In forward: keeps these tensors, which may be inputs, results or others. Once.
  void save(const std::vector<Tensor>& tensors);
  // In backward: tensor i of those. Error(invalid_argument) if it was changed in place since.
  [[nodiscard]] const Tensor& saved(std::size_t i) const;
  // Whether anyone wants the gradient of an input; if not, backward may leave it undefined.
  [[nodiscard]] bool needs_gradient(std::size_t input) const;

 private:
  friend class Function;
  struct State;
  explicit FunctionContext(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

class Function {
 public:
  // Both run without recording, whatever operations they call.
  using Forward = std::function<Tensor(FunctionContext&, std::span<const Tensor> inputs)>;
  // From the gradient of the result those of the inputs, one each and in their order, of their
  // shapes, types and devices. An undefined one counts as zeros.
  using Backward =
      std::function<std::vector<Tensor>(const FunctionContext&, const Tensor& gradient)>;

  // `name` opens the messages. Error(invalid_argument) if one of the three is empty.
  Function(std::string name, Forward forward, Backward backward);

  // Runs forward and, if an input needs a gradient, records the function. The result is a tensor of
  // its own, even where forward hands out an input. Error(invalid_argument) if forward returns an
  // undefined tensor; and later, from backward(), if the gradients don't fit the inputs.
  [[nodiscard]] Tensor operator()(std::span<const Tensor> inputs) const;
  [[nodiscard]] Tensor operator()(std::initializer_list<Tensor> inputs) const {
    return (*this)(std::span(inputs.begin(), inputs.size()));
  }

 private:
  const char* name_;
  std::shared_ptr<const Forward> forward_;
  std::shared_ptr<const Backward> backward_;
};

}  // namespace backplane
