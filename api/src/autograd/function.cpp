// Functions of users: forward is run and recorded, and what backward gives is checked.
#include "backplane/function.hpp"

#include "autograd/record.hpp"
#include "backplane/autograd.hpp"
#include "check.hpp"
#include "dispatch/interned.hpp"

namespace backplane {

struct FunctionContext::State {
  const char* name;
  std::vector<bool> needs;
  std::vector<detail::SavedTensor> saved;
};

void FunctionContext::save(const std::vector<Tensor>& tensors) {
  if (!state_->saved.empty()) {
    detail::reject("{}: tensors were saved already; save all of them at once", state_->name);
  }
  for (const Tensor& tensor : tensors) state_->saved.emplace_back(tensor);
}

const Tensor& FunctionContext::saved(std::size_t i) const {
  if (i >= state_->saved.size()) {
    detail::reject("{}: backward asks for saved tensor {}, forward saved {}", state_->name, i,
                   state_->saved.size());
  }
  return state_->saved[i].get(state_->name);
}

bool FunctionContext::needs_gradient(std::size_t input) const {
  if (input >= state_->needs.size()) {
    detail::reject("{}: asks about input {}, there are {}", state_->name, input,
                   state_->needs.size());
  }
  return state_->needs[input];
}

namespace {

struct InputKind {
  DType dtype;
  Shape shape;
  Device device;
};

void check_gradients(const char* name, const std::vector<Tensor>& gradients,
                     const std::vector<InputKind>& inputs, const std::vector<bool>& needs) {
  if (gradients.size() != inputs.size()) {
    detail::reject(
        "{}: backward must return a gradient for each of {} inputs, got {}; leave those "
        "that nobody needs undefined",
        name, inputs.size(), gradients.size());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const InputKind& input = inputs[i];
    const Tensor& gradient = gradients[i];
    if (!needs[i] || !gradient.defined()) continue;
    if (gradient.dtype() == input.dtype && gradient.shape() == input.shape &&
        gradient.device() == input.device) {
      continue;
    }
    detail::reject("{}: backward's gradient {} must be {}{} on {}, as its input is, got {} on {}",
                   name, i, to_string(input.dtype), to_string(input.shape), input.device.name(),
                   detail::describe(gradient), gradient.device().name());
  }
}

}  // namespace

Function::Function(std::string name, Forward forward, Backward backward) {
  if (name.empty()) detail::reject("Function: it must have a name, which opens its messages");
  if (!forward) detail::reject("{}: forward is empty", name);
  if (!backward) detail::reject("{}: backward is empty", name);
  name_ = detail::interned(name);
  forward_ = std::make_shared<const Forward>(std::move(forward));
  backward_ = std::make_shared<const Backward>(std::move(backward));
}

Tensor Function::operator()(std::span<const Tensor> inputs) const {
  auto state = std::make_shared<FunctionContext::State>();
  state->name = name_;
  for (const Tensor& input : inputs) {
    detail::get(input, name_);  // undefined ones end here
    state->needs.push_back(detail::records({input}));
  }
  FunctionContext context(state);
  Tensor result = no_grad([&] { return (*forward_)(context, inputs); });
  if (!result.defined()) detail::reject("{}: forward must return a tensor, got none", name_);
  result = result.detach();  // a handle of its own: recording must not change an input's
  if (!detail::records(inputs)) return result;
  if (!is_floating(result.dtype())) {
    detail::reject(
        "{}: an input needs a gradient, but the result {} can't have one; detach() the "
        "inputs",
        name_, detail::describe(result));
  }
  std::vector<InputKind> kinds;
  for (const Tensor& input : inputs)
    kinds.push_back({input.dtype(), input.shape(), input.device()});
  return detail::record(
      name_, inputs, result,
      [context, kinds = std::move(kinds), backward = backward_](const detail::BackwardCall& call) {
        std::vector<Tensor> gradients = (*backward)(context, call.gradient);
        check_gradients(context.state_->name, gradients, kinds, context.state_->needs);
        return gradients;
      });
}

}  // namespace backplane
