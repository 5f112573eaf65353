// Kernel launches from host C++, checked against the kernel's parameters.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "kernels.hpp"
#include "queue.hpp"

namespace backplane::cuda {

// How many groups a launch has. Kernels loop, so any number does all the work; this one fills every
// card and stays below the limits of a grid.
struct Groups {
  unsigned x = 0, y = 1;
};
inline constexpr i64 most_groups = 1 << 16;

[[nodiscard]] inline Groups groups(i64 count) {
  return {static_cast<unsigned>(std::min(count, most_groups)), 1};
}
// One work-item for each of `count`.
[[nodiscard]] inline Groups items(i64 count) {
  return groups((count + GROUP - 1) / GROUP);
}

namespace detail {

// A Memory is two parameters of a kernel, anything else one.
inline std::tuple<char*, i64> parameters(const Memory& memory) {
  return {memory.start, memory.offset};
}
template <class T>
std::tuple<T> parameters(const T& value) {
  return {value};
}

}  // namespace detail

// `wanted` with no groups launches nothing: an empty grid is an error in CUDA.
template <class... Parameters, class... Arguments>
void launch(const CudaQueue& queue, void (*kernel)(Parameters...), Groups wanted,
            const Arguments&... arguments) {
  if (wanted.x == 0 || wanted.y == 0) return;
  std::tuple<Parameters...> values(std::tuple_cat(detail::parameters(arguments)...));
  auto addresses = std::apply(
      [](auto&... value) { return std::array<void*, sizeof...(Parameters)>{&value...}; }, values);
  check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(wanted.x, wanted.y, 1),
                         dim3(GROUP, 1, 1), addresses.data(), 0, queue.stream()),
        "launching a kernel");
}

}  // namespace backplane::cuda
