// Raw memory of a device, and the account of it: statistics, limit, cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "backplane/device.hpp"

namespace backplane {

namespace detail {
struct Storage;
}

// Bytes on one device, freed with the object (stream-ordered: memory still in use by queued work is
// kept until that work is done). Move-only; Tensor shares memory, a Buffer never does.
class Buffer {
 public:
  Buffer(Device device, std::uint64_t bytes);  // Error(out_of_memory) says who holds what
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&&) noexcept = default;

  [[nodiscard]] Device device() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  // Host bytes to the device on the current stream. Returns when `source` may be reused.
  // Error(out_of_range) if it doesn't fit.
  void upload(std::span<const std::byte> source, std::uint64_t offset = 0);
  // Device bytes to the host; waits for the stream.
  void download(std::span<std::byte> target, std::uint64_t offset = 0) const;

  [[nodiscard]] void* native_handle() const;  // device pointer, cl_mem or host pointer
  [[nodiscard]] const std::shared_ptr<detail::Storage>& storage() const noexcept { return storage_; }

 private:
  std::shared_ptr<detail::Storage> storage_;
};

struct MemoryStats {
  std::uint64_t allocated_bytes = 0;       // held by tensors and buffers now
  std::uint64_t peak_allocated_bytes = 0;  // the most since the last reset
  std::uint64_t reserved_bytes = 0;        // taken from the device, cache included
  std::uint64_t allocations = 0;           // requests served so far
  std::uint64_t device_allocations = 0;    // of these, how many went to the device
  std::uint64_t limit_bytes = 0;           // 0: none
};

[[nodiscard]] MemoryStats memory_stats(Device device);
void reset_peak_memory(Device device);
void empty_cache(Device device);                            // gives cached memory back
void set_memory_limit(Device device, std::uint64_t bytes);  // 0: none

// Bytes that crossed between the host and a device since the start, and those that came from
// another device without passing the host.
struct TransferStats {
  std::uint64_t bytes_to_device = 0, bytes_from_device = 0, bytes_from_peers = 0;
  std::uint64_t uploads = 0, downloads = 0, peer_copies = 0;
};
[[nodiscard]] TransferStats transfer_stats(Device device);

}  // namespace backplane
