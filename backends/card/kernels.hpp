// Every kernel as the host launches it: a number, and the types of its parameters.
#pragma once

#include <cstdint>

#include "memory.hpp"
#include "signatures.h"

namespace backplane::card {

template <class... Parameters>
struct Kernel {
  std::uint32_t number;
};

namespace detail {
enum KernelNumber : std::uint32_t {
#define BACKPLANE_KERNEL(name, ...) number_of_##name,
  BACKPLANE_KERNELS(BACKPLANE_KERNEL)
#undef BACKPLANE_KERNEL
      kernel_count
};
}  // namespace detail

inline constexpr std::uint32_t kernel_count = detail::kernel_count;

// By their numbers.
inline constexpr const char* kernel_names[] = {
#define BACKPLANE_KERNEL(name, ...) #name,
    BACKPLANE_KERNELS(BACKPLANE_KERNEL)
#undef BACKPLANE_KERNEL
};

namespace kernel {
#define SOURCE Memory
#define TARGET Memory
#define BACKPLANE_KERNEL(name, ...) \
  inline constexpr Kernel<__VA_ARGS__> name{detail::number_of_##name};
BACKPLANE_KERNELS(BACKPLANE_KERNEL)
#undef BACKPLANE_KERNEL
#undef SOURCE
#undef TARGET
}  // namespace kernel

}  // namespace backplane::card
