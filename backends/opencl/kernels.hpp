// The kernels that OpenCL has beside those of every card, numbered on from them.
#pragma once

#include "card/kernels.hpp"
#include "opencl/signatures.h"

namespace backplane::opencl {

namespace detail {
enum KernelNumber : std::uint32_t {
  first_number = card::kernel_count - 1,
#define BACKPLANE_KERNEL(name, ...) number_of_##name,
  BACKPLANE_OPENCL_KERNELS(BACKPLANE_KERNEL)
#undef BACKPLANE_KERNEL
      kernel_count
};
}  // namespace detail

inline constexpr std::uint32_t kernel_count = detail::kernel_count;

[[nodiscard]] constexpr const char* kernel_name(std::uint32_t number) {
  constexpr const char* names[] = {
#define BACKPLANE_KERNEL(name, ...) #name,
      BACKPLANE_OPENCL_KERNELS(BACKPLANE_KERNEL)
#undef BACKPLANE_KERNEL
  };
  return number < card::kernel_count ? card::kernel_names[number]
                                     : names[number - card::kernel_count];
}

namespace kernel {
using card::Memory;
#define SOURCE Memory
#define TARGET Memory
#define BACKPLANE_KERNEL(name, ...) \
  inline constexpr card::Kernel<__VA_ARGS__> name{detail::number_of_##name};
BACKPLANE_OPENCL_KERNELS(BACKPLANE_KERNEL)
#undef BACKPLANE_KERNEL
#undef SOURCE
#undef TARGET
}  // namespace kernel

}  // namespace backplane::opencl
