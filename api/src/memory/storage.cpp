// Storage, the move-only Buffer on top of it, and the account of memory.
#include "memory/storage.hpp"

#include <algorithm>
#include <mutex>

#include "backplane/buffer.hpp"
#include "check.hpp"
#include "device/registry.hpp"
#include "memory/transfer.hpp"
#include "stream/stream_state.hpp"

namespace backplane {
namespace detail {

Storage::Storage(DeviceState& on, std::uint64_t size)
    : device(on), bytes(size), home(on.backend == nullptr ? nullptr : current_stream(on)) {
  block_ = device.allocator.allocate(size, home.get());
  generation_ = device.allocator.generation();
  buffer = block_->segment->buffer;
  block_offset = block_->offset;
  if (block_->segment->host != nullptr) host = block_->segment->host + block_->offset;
}

Storage::Storage(std::shared_ptr<PinnedBlock> block, std::uint64_t size)
    : device(Registry::instance().host()),
      bytes(size),
      host(block->memory),
      pinned(std::move(block)) {}

bp_arg Storage::at(std::uint64_t byte_offset) const {
  if (generation_ != device.allocator.generation()) {
    reject("tensor: its memory on {} was released by shutdown(); make it again", device.name);
  }
  return {buffer, block_offset + byte_offset};
}

Storage::~Storage() {
  if (block_ != nullptr) device.allocator.free(block_, generation_, users_);
}

void Storage::note_other_use(const std::shared_ptr<StreamState>& stream) {
  static std::mutex mutex;  // rare: only tensors that cross streams come here
  const std::scoped_lock lock(mutex);
  if (std::find(users_.begin(), users_.end(), stream) == users_.end()) users_.push_back(stream);
}

}  // namespace detail

Buffer::Buffer(Device device, std::uint64_t bytes)
    : storage_(std::make_shared<detail::Storage>(device.state(), bytes)) {}

Device Buffer::device() const noexcept { return Device(&storage_->device); }
std::uint64_t Buffer::bytes() const noexcept { return storage_->bytes; }

namespace {

void check_range(const detail::Storage& storage, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > storage.bytes || bytes > storage.bytes - offset) {
    detail::fail(ErrorCode::out_of_range,
                 "buffer: bytes [{}, {}) are outside its {} bytes; use a smaller range", offset,
                 offset + bytes, storage.bytes);
  }
}

}  // namespace

void Buffer::upload(std::span<const std::byte> source, std::uint64_t offset) {
  check_range(*storage_, offset, source.size());
  detail::upload(*storage_, offset, source.data(), source.size());
}

void Buffer::download(std::span<std::byte> target, std::uint64_t offset) const {
  check_range(*storage_, offset, target.size());
  detail::download(*storage_, offset, target.data(), target.size());
}

void* Buffer::native_handle() const { return detail::native_handle(*storage_); }

MemoryStats memory_stats(Device device) { return device.state().allocator.stats(); }
void reset_peak_memory(Device device) { device.state().allocator.reset_peak(); }
void empty_cache(Device device) {
  device.state().allocator.empty_cache();
  device.state().pinned.release_unused();
}
void set_memory_limit(Device device, std::uint64_t bytes) {
  device.state().allocator.set_limit(bytes);
}

TransferStats transfer_stats(Device device) {
  const detail::TransferCounters& counters = device.state().transfers;
  return {counters.bytes_to_device, counters.bytes_from_device, counters.bytes_from_peers,
          counters.uploads,         counters.downloads,         counters.peer_copies};
}

}  // namespace backplane
