// Host memory for tensors: large, aligned blocks on huge pages.
#pragma once

#include <cstdint>

namespace backplane::detail {

inline constexpr std::uint64_t host_page = 2ull << 20;  // alignment of every block, in bytes

// First touch of a 4 KiB page costs about forty times that of its share of a huge page on virtual
// machines, hence madvise. Null when the system has no memory left.
[[nodiscard]] void* allocate_host_memory(std::uint64_t bytes) noexcept;
void release_host_memory(void* memory, std::uint64_t bytes) noexcept;

}  // namespace backplane::detail
