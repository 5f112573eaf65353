// Bytes between the host and devices, counted.
#pragma once

#include <cstdint>

#include "memory/storage.hpp"

namespace backplane::detail {

// On the current stream; returns when `source` may be reused.
void upload(Storage& target, std::uint64_t offset, const void* source, std::uint64_t bytes);
// Waits for the stream and throws the faults it finds.
void download(const Storage& source, std::uint64_t offset, void* target, std::uint64_t bytes);
[[nodiscard]] void* native_handle(const Storage& storage);

}  // namespace backplane::detail
