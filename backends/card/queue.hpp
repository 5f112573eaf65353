// The queue of a card as plans see it: it launches kernels and keeps the error record.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "kernels.hpp"

namespace backplane::card {

// How many groups of GROUP work-items a launch has. Kernels loop, so any number does all the work;
// this one fills every card and stays below the limits of a grid.
using Groups = std::uint32_t;
inline constexpr i64 most_groups = 1 << 16;

[[nodiscard]] inline Groups groups(i64 count) {
  return static_cast<Groups>(std::min(count, most_groups));
}
// One work-item for each of `count`.
[[nodiscard]] inline Groups items(i64 count) {
  return groups((count + GROUP - 1) / GROUP);
}

// One parameter of a kernel: where its value lies, and how long it is.
struct Value {
  const void* address;
  std::size_t bytes;
};

// One dense tensor of an operation on many, with what belongs to it.
struct ManyTensor {
  std::array<Memory, MAX_OPERANDS> operands;
  i64 count;
};

class Queue : public plugin::Queue {
 public:
  // Enqueues; `groups` is never 0. A tensor is two values: its handle and its offset.
  virtual void launch(std::uint32_t kernel, Groups groups, std::span<const Value> values) = 0;
  // Enqueues few launches that do to many tensors what one of an optimizer's kernels does to one.
  // Scalars of no bytes: the kernel takes none. False: this device has no such launch, nothing was
  // done, and the caller goes through them one by one.
  virtual bool launch_many(std::uint32_t, std::span<const ManyTensor>, Value) { return false; }
  // Enqueues a copy of so many bytes, which don't overlap.
  virtual void copy_memory(const Memory& target, const Memory& source, std::uint64_t bytes) = 0;

  // The error record (a Fault), where later kernels look at it, and once more where the host reads
  // it. As long as it is set no kernel writes either.
  [[nodiscard]] virtual Memory record() const = 0;
  [[nodiscard]] virtual Memory mirror() const = 0;
};

namespace detail {

inline std::array<Value, 2> values_of(const Memory& memory) {
  return {Value{&memory.handle, sizeof memory.handle}, Value{&memory.offset, sizeof memory.offset}};
}
template <class T>
std::array<Value, 1> values_of(const T& value) {
  return {Value{&value, sizeof value}};
}
template <class... Arrays>
auto joined(const Arrays&... arrays) {
  return std::apply(
      [](const auto&... value) { return std::array<Value, sizeof...(value)>{value...}; },
      std::tuple_cat(arrays...));
}

}  // namespace detail

// Checked against the kernel's parameters. `wanted` of 0 launches nothing.
template <class... Parameters, class... Arguments>
void launch(Queue& queue, Kernel<Parameters...> kernel, Groups wanted,
            const Arguments&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments));
  if (wanted == 0) return;
  const std::tuple<Parameters...> parameters(arguments...);
  std::apply(
      [&](const auto&... parameter) {
        queue.launch(kernel.number, wanted, detail::joined(detail::values_of(parameter)...));
      },
      parameters);
}

}  // namespace backplane::card
