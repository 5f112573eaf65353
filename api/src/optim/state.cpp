// An optimizer's state by name, for checkpoints.
#include <algorithm>
#include <map>

#include "backplane/optim/optimizer.hpp"
#include "check.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {
namespace {

// The named tensors of a state that is being loaded; each is taken once.
class Reader {
 public:
  Reader(const std::string& optimizer, std::span<const NamedState> state) : optimizer_(optimizer) {
    for (const NamedState& entry : state) {
      if (!left_.emplace(entry.name, entry.tensor).second) {
        detail::reject("{}: state '{}' comes twice", optimizer_, entry.name);
      }
    }
  }

  // Undefined if the state doesn't have it.
  Tensor find(const std::string& name, DType dtype, const Shape& shape) {
    const auto place = left_.find(name);
    if (place == left_.end()) return {};
    const Tensor found = place->second;
    left_.erase(place);
    if (!found.defined() || found.dtype() != dtype || found.shape() != shape) {
      detail::reject("{}: state '{}' must be {}{}, got {}", optimizer_, name, to_string(dtype),
                     to_string(shape), found.defined() ? detail::describe(found) : "nothing");
    }
    return found;
  }
  template <class Value>
  std::vector<Value> take(const std::string& name, DType dtype, const Shape& shape) {
    const Tensor found = find(name, dtype, shape);
    if (!found.defined()) {
      detail::reject("{}: state '{}' is missing; pass all that state() gave", optimizer_, name);
    }
    return found.to_vector<Value>();
  }
  void finish() const {
    if (left_.empty()) return;
    detail::reject(
        "{}: state '{}' has no place here; was it made with other parameters or options?",
        optimizer_, left_.begin()->first);
  }

 private:
  const std::string& optimizer_;
  std::map<std::string, Tensor> left_;
};

std::string name_of(std::size_t parameter, const char* slot) {
  return std::to_string(parameter) + "." + slot;
}

}  // namespace

std::vector<NamedState> Optimizer::state() {
  const auto count = static_cast<std::int64_t>(parameters_.size());
  const auto groups = static_cast<std::int64_t>(group_count());
  const TensorOptions whole{.dtype = DType::i64, .device = Device::host()};
  std::vector<NamedState> state{
      {"step_count", tensor(std::vector<std::int64_t>{step_count_}, {}, whole)},
      {"steps", tensor(steps_, {count}, whole)},
      {"learning_rates", tensor(learning_rates_, {groups}, {.device = Device::host()})}};
  const std::vector<Slot> all = slots();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    for (const Slot& slot : all) {
      const Tensor& own = (*slot.tensors)[i];
      if (own.defined()) state.push_back({name_of(i, slot.name), own});
    }
  }
  return state;
}

void Optimizer::load_state(std::span<const NamedState> state) {
  const auto count = static_cast<std::int64_t>(parameters_.size());
  const auto groups = static_cast<std::int64_t>(group_count());
  Reader reader(name_, state);
  const auto step_count = reader.take<std::int64_t>("step_count", DType::i64, {});
  const auto steps = reader.take<std::int64_t>("steps", DType::i64, {count});
  const auto rates = reader.take<float>("learning_rates", DType::f32, {groups});
  std::vector<std::vector<Tensor>> tensors;
  for (const Slot& slot : slots()) {
    std::vector<Tensor>& list = tensors.emplace_back();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor& parameter = parameters_[i];
      const Tensor found = reader.find(name_of(i, slot.name), parameter.dtype(), parameter.shape());
      list.push_back(found.defined() ? found.copy_to(parameter.device()) : Tensor());
    }
  }
  reader.finish();
  step_count_ = step_count[0];
  steps_ = steps;
  for (std::size_t group = 0; group < group_count(); ++group)
    set_learning_rate(group, rates[group]);
  const std::vector<Slot> all = slots();
  for (std::size_t i = 0; i < all.size(); ++i) *all[i].tensors = std::move(tensors[i]);
}

}  // namespace backplane
