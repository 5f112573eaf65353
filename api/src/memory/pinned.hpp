// Pinned host memory of one device, kept for reuse: to ask for it is slow, and giving it back makes
// the device stop.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace backplane::detail {

struct DeviceState;
struct EventState;
struct StreamState;

// One piece of it. What was uploaded from it last may still be on its way.
struct PinnedBlock {
  PinnedBlock(DeviceState& device, std::uint64_t bytes);
  ~PinnedBlock();
  PinnedBlock(const PinnedBlock&) = delete;
  PinnedBlock& operator=(const PinnedBlock&) = delete;

  [[nodiscard]] bool usable() const;  // no shutdown came in between
  [[nodiscard]] bool idle() const;
  void wait() const;  // until the device has read what it was told to
  // To be called under the stream's lock, behind an upload from here.
  void mark_upload(const StreamState& stream);

  DeviceState& device;
  const std::uint64_t bytes;
  char* memory = nullptr;

 private:
  std::shared_ptr<EventState> read_;
  const StreamState* reader_ = nullptr;
};

class PinnedPool {
 public:
  explicit PinnedPool(DeviceState& device) : device_(device) {}
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  // At least so many bytes; they return to the pool by themselves. Null if the device has none.
  [[nodiscard]] std::shared_ptr<PinnedBlock> take(std::uint64_t bytes);
  void release_unused();

 private:
  std::unique_ptr<PinnedBlock> find(std::uint64_t bytes);
  void give_back(std::unique_ptr<PinnedBlock> block);

  DeviceState& device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PinnedBlock>> unused_;  // oldest first
};

}  // namespace backplane::detail
