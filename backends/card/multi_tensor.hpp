// Operations on many tensors, such as the steps of an optimizer: dense ones in few launches where
// the device has them, others one by one.
#pragma once

#include <type_traits>
#include <vector>

#include "check.hpp"
#include "plan.hpp"

namespace backplane::card {

class MultiTensor {
 public:
  // The request begins with `lists` operands of `count` tensors each: parameters, gradients, the
  // rest. Its outputs begin with `written` of these: list 0, then list 2 and on.
  MultiTensor(const Check& check, const plugin::Request& request, std::size_t count,
              std::size_t lists, std::size_t written);

  // Runs `kernel` on every tensor: launch_one(nest, its operands) enqueues it for one of them.
  // extra(number of the tensor) is one more operand, behind the lists. Empty scalars are none.
  template <class... Parameters, class Scalars, class LaunchOne, class Extra>
  void enqueue(const Call& call, Kernel<Parameters...> kernel, const Scalars& scalars,
               LaunchOne launch_one, Extra extra) const {
    const auto operands = [&](const One& one) {
      auto memory = lists_of(call, one.index);
      if (lists_ < memory.size()) memory[lists_] = extra(one.index);
      return memory;
    };
    std::vector<ManyTensor> tensors;
    for (const One& one : dense_) tensors.push_back({operands(one), one.walk.count});
    Value value{&scalars, sizeof scalars};
    if constexpr (std::is_empty_v<Scalars>) value = {nullptr, 0};
    if (!call.queue.launch_many(kernel.number, tensors, value)) {
      for (const One& one : dense_) launch_one(one.walk, operands(one));
    }
    for (const One& one : strided_) launch_one(one.walk, operands(one));
  }
  template <class... Parameters, class Scalars, class LaunchOne>
  void enqueue(const Call& call, Kernel<Parameters...> kernel, const Scalars& scalars,
               LaunchOne launch_one) const {
    enqueue(call, kernel, scalars, launch_one, [](std::size_t) { return Memory{}; });
  }

 private:
  struct One {
    std::size_t index;
    Nest walk;
  };
  [[nodiscard]] std::array<Memory, MAX_OPERANDS> lists_of(const Call& call,
                                                          std::size_t index) const;

  std::size_t count_, lists_;
  std::vector<One> dense_, strided_;
};

}  // namespace backplane::card
