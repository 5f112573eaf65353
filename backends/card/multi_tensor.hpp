// Steps of an optimizer over many tensors: dense ones in few launches where the device has them,
// others one by one.
#pragma once

#include <vector>

#include "check.hpp"
#include "plan.hpp"

namespace backplane::card {

class MultiTensor {
 public:
  // The request brings `lists` operands of `count` tensors each: parameters, gradients, the rest.
  MultiTensor(const Check& check, const plugin::Request& request, std::size_t count,
              std::size_t lists);

  // Runs `kernel` on every tensor: launch_one(nest, its operands) enqueues it for one of them.
  template <class... Parameters, class Scalars, class LaunchOne>
  void enqueue(const Call& call, Kernel<Parameters...> kernel, const Scalars& scalars,
               LaunchOne launch_one) const {
    if (!enqueue_dense(call, kernel.number, {&scalars, sizeof scalars})) {
      for (const One& one : dense_) launch_one(one.walk, operands(call, one.index));
    }
    for (const One& one : strided_) launch_one(one.walk, operands(call, one.index));
  }

 private:
  struct One {
    std::size_t index;
    Nest walk;
  };
  bool enqueue_dense(const Call& call, std::uint32_t kernel, Value scalars) const;
  [[nodiscard]] std::array<Memory, MAX_OPERANDS> operands(const Call& call,
                                                          std::size_t index) const;

  std::size_t count_, lists_;
  std::vector<One> dense_, strided_;
};

}  // namespace backplane::card
