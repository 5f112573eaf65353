// How pinned memory is taken, reused, and kept until the device has read it.
#include "memory/pinned.hpp"

#include <algorithm>

#include "device/device_state.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {
namespace {

// More than a loader and a device that lags behind it have on their way.
constexpr std::size_t most_unused = 16;

std::uint64_t in_pages(std::uint64_t bytes) {
  constexpr std::uint64_t page = 4096;
  return std::max((bytes + page - 1) / page, std::uint64_t{1}) * page;
}

}  // namespace

PinnedBlock::PinnedBlock(DeviceState& on, std::uint64_t size)
    : device(on), bytes(size), read_(std::make_shared<EventState>(on)) {
  void* made = nullptr;
  const bp_status status = device.table().host_alloc(device.handle(), bytes, &made);
  check_made(status, made, *device.backend, device.name);
  memory = static_cast<char*>(made);
  device.events.add(read_);
}

PinnedBlock::~PinnedBlock() {
  if (memory == nullptr) return;
  // A failure to wait is a lost device's, which reads nothing any more.
  if (usable()) device.table().event_synchronize(read_->event);
  device.table().host_free(memory);
}

bool PinnedBlock::usable() const {
  return read_->event != nullptr;
}

bool PinnedBlock::idle() const {
  std::uint32_t done = 1;
  if (!usable()) return true;  // the shutdown has waited for everything
  check(device.table().event_query(read_->event, &done), *device.backend, device.name);
  return done != 0;
}

void PinnedBlock::wait() const {
  if (!usable()) return;
  check(device.table().event_synchronize(read_->event), *device.backend, device.name);
}

void PinnedBlock::mark_upload(const StreamState& stream) {
  if (reader_ != nullptr && reader_ != &stream) wait();  // one event stands for one stream
  reader_ = &stream;
  check(device.table().event_record(read_->open(), stream.open_queue()), *device.backend,
        device.name);
}

std::shared_ptr<PinnedBlock> PinnedPool::take(std::uint64_t bytes) {
  if (device_.backend == nullptr || device_.table().host_alloc == nullptr) return nullptr;
  const std::uint64_t wanted = in_pages(bytes);
  std::unique_ptr<PinnedBlock> block = find(wanted);
  if (block == nullptr) block = std::make_unique<PinnedBlock>(device_, wanted);
  return {block.release(),
          [this](PinnedBlock* back) { give_back(std::unique_ptr<PinnedBlock>(back)); }};
}

std::unique_ptr<PinnedBlock> PinnedPool::find(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(unused_.begin(), unused_.end(), [&](const auto& block) {
    return block->bytes >= bytes && block->bytes <= 2 * bytes && block->idle();
  });
  if (found == unused_.end()) return nullptr;
  std::unique_ptr<PinnedBlock> block = std::move(*found);
  unused_.erase(found);
  return block;
}

void PinnedPool::give_back(std::unique_ptr<PinnedBlock> block) {
  if (!block->usable()) return;
  std::unique_ptr<PinnedBlock> oldest;  // freed outside the lock: it may have to wait
  const std::scoped_lock lock(mutex_);
  unused_.push_back(std::move(block));
  if (unused_.size() <= most_unused) return;
  oldest = std::move(unused_.front());
  unused_.erase(unused_.begin());
}

void PinnedPool::release_unused() {
  std::vector<std::unique_ptr<PinnedBlock>> released;
  const std::scoped_lock lock(mutex_);
  released.swap(unused_);
}

}  // namespace backplane::detail
