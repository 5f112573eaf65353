// Host memory for tensors: large, aligned blocks on huge pages.
#include "memory/host_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>

namespace backplane::detail {

void* allocate_host_memory(std::uint64_t bytes) noexcept {
  const std::uint64_t rounded = (bytes + host_page - 1) / host_page * host_page;
  if (rounded < bytes) return nullptr;  // the sum overflowed
  void* memory = std::aligned_alloc(host_page, rounded == 0 ? host_page : rounded);
  if (memory != nullptr) madvise(memory, rounded, MADV_HUGEPAGE);  // advice: may be declined
  return memory;
}

void release_host_memory(void* memory, std::uint64_t) noexcept { std::free(memory); }

}  // namespace backplane::detail
