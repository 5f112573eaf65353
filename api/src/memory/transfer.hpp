// Bytes between the host and devices, counted.
#pragma once

#include <cstdint>

#include "memory/storage.hpp"

namespace backplane::detail {

// On the current stream; returns when `source` may be reused.
void upload(Storage& target, std::uint64_t offset, const void* source, std::uint64_t bytes);
// From host memory. Out of the device's pinned memory it returns at once, and the source's
// await_readers() says when it may be reused.
void upload(Storage& target, std::uint64_t offset, const Storage& source,
            std::uint64_t source_offset, std::uint64_t bytes);
// From another device straight to it, on the current streams of both. False, and nothing was done,
// where the back end knows no such way.
[[nodiscard]] bool copy_peer(Storage& target, std::uint64_t offset, Storage& source,
                             std::uint64_t source_offset, std::uint64_t bytes);
// Waits for the stream and throws the faults it finds.
void download(const Storage& source, std::uint64_t offset, void* target, std::uint64_t bytes);
[[nodiscard]] void* native_handle(const Storage& storage);

}  // namespace backplane::detail
