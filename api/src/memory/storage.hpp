// Storage: one block of a device's memory, shared by the tensors that view it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backplane/plugin/abi.h"
#include "memory/allocator.hpp"
#include "memory/pinned.hpp"

namespace backplane::detail {

struct Storage {
  // On the device's current stream of this thread.
  Storage(DeviceState& device, std::uint64_t bytes);
  // On the host, in pinned memory.
  Storage(std::shared_ptr<PinnedBlock> block, std::uint64_t bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  // Tells the allocator that `stream` has work on this memory.
  void note_use(const std::shared_ptr<StreamState>& stream) {
    if (stream != home) note_other_use(stream);
  }
  // Until no device reads it any more: the host is going to write there.
  void await_readers() const {
    if (pinned != nullptr) pinned->wait();
  }
  // Error if a shutdown has taken the memory away.
  [[nodiscard]] bp_arg at(std::uint64_t byte_offset) const;

  DeviceState& device;
  const std::uint64_t bytes;
  const std::uint64_t serial = last_serial().fetch_add(1, std::memory_order_relaxed) + 1;

  // Each storage of the process has a higher number than those before it.
  static std::atomic<std::uint64_t>& last_serial() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last;
  }
  std::shared_ptr<StreamState> home;  // null on the host
  bp_buffer* buffer = nullptr;
  std::uint64_t block_offset = 0;
  char* host = nullptr;                   // null in device memory
  std::shared_ptr<PinnedBlock> pinned;    // null elsewhere
  std::atomic<std::uint64_t> version{0};  // counts changes in place
  // A leaf that wants a gradient lies, or lay, here: worth keeping conversions of.
  std::atomic<bool> holds_parameter{false};

 private:
  void note_other_use(const std::shared_ptr<StreamState>& stream);

  Block* block_ = nullptr;  // null in pinned memory
  std::uint64_t generation_ = 0;
  std::vector<std::shared_ptr<StreamState>> users_;
};

}  // namespace backplane::detail
