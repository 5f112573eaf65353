// Streams: creation, waiting, and which one is current.
#include "backplane/stream.hpp"

#include <deque>
#include <utility>

#include "check.hpp"
#include "device/device_state.hpp"
#include "stream/stream_state.hpp"

namespace backplane {
namespace detail {
namespace {

struct Current {
  DeviceState* device;
  std::shared_ptr<StreamState> stream;
};

// Few devices are in use on one thread, so a list beats a map. References to its entries stay valid
// while it grows: an observer may use another device in the middle of a dispatch.
std::deque<Current>& current_streams() {
  thread_local std::deque<Current> streams;
  return streams;
}

std::shared_ptr<StreamState>& current_slot(DeviceState& device) {
  for (Current& current : current_streams()) {
    if (current.device == &device) return current.stream;
  }
  return current_streams().emplace_back(Current{&device, nullptr}).stream;
}

}  // namespace

StreamState::StreamState(DeviceState& on) : device(on) {
  const bp_status status = device.table().queue_create(device.handle(), &queue);
  check_made(status, queue, *device.backend, device.name);
}

StreamState::~StreamState() {
  if (queue == nullptr) return;
  device.table().queue_destroy(queue);  // waits, so that others may have its memory
  device.allocator.adopt(this);
}

void StreamState::close() noexcept {
  const std::scoped_lock lock(mutex);
  if (queue == nullptr) return;
  device.table().queue_destroy(queue);
  queue = nullptr;
}

bp_queue* StreamState::open_queue() const {
  if (queue == nullptr) reject("stream: {} was shut down; make a new stream", device.name);
  return queue;
}

void StreamState::synchronize() {
  bp_error_record record{};
  record.struct_size = sizeof record;
  const std::scoped_lock lock(mutex);
  check(device.table().queue_synchronize(open_queue()), *device.backend, device.name);
  check(device.table().queue_error(queue, 1, &record), *device.backend, device.name);
  if (record.fault != BP_FAULT_NONE) throw_fault(record);
}

const char* StreamState::name_of(std::uint64_t number) const noexcept {
  for (const SequenceState* noted : sequences) {
    if (const char* name = noted->name_of(number)) return name;
  }
  return sequence - number < recent.size() ? recent[number % recent.size()] : nullptr;
}

void StreamState::throw_fault(const bp_error_record& record) const {
  const char* name = name_of(record.sequence);
  if (record.fault == BP_FAULT_INDEX_OUT_OF_RANGE) {
    fail(ErrorCode::out_of_range,
         "{}: values must be in [0, {}), sample {} has {} (operation {} on {})",
         name == nullptr ? "operation" : name, record.limit, record.index, record.value,
         record.sequence, device.name);
  }
  fail(ErrorCode::backend_failure, "{}: the device faulted at or before operation {} ({})",
       device.name, record.sequence, name == nullptr ? "unknown" : name);
}

const std::shared_ptr<StreamState>& current_stream(DeviceState& device) {
  std::shared_ptr<StreamState>& slot = current_slot(device);
  if (slot == nullptr || slot->queue == nullptr) slot = device.default_stream();
  return slot;
}

}  // namespace detail

Stream::Stream(Device device) {
  if (device.is_host()) detail::reject("stream: the host has no streams; choose a device");
  state_ = std::make_shared<detail::StreamState>(device.state());
  device.state().streams.add(state_);
}

Stream Stream::current(Device device) {
  if (device.is_host()) detail::reject("stream: the host has no streams; choose a device");
  return Stream(detail::current_stream(device.state()));
}

Device Stream::device() const noexcept { return Device(&state_->device); }

void Stream::synchronize() const { state_->synchronize(); }

bool Stream::idle() const {
  const std::scoped_lock lock(state_->mutex);
  std::uint32_t idle = 0;
  detail::check(state_->device.table().queue_query(state_->open_queue(), &idle),
                *state_->device.backend, state_->device.name);
  return idle != 0;
}

void Stream::wait(const Event& event) const {
  const detail::DeviceState &there = event.state().device, &here = state_->device;
  const bool peers = here.backend == there.backend && here.table().copy_peer != nullptr;
  if (&there != &here && !peers) {
    event.synchronize();  // the device can't wait for another's event: the host does
    return;
  }
  const std::scoped_lock lock(state_->mutex);
  detail::check(state_->device.table().event_wait(event.state().open(), state_->open_queue()),
                *state_->device.backend, state_->device.name);
}

void* Stream::native_handle() const {
  void* handle = nullptr;
  detail::check(
      state_->device.table().native_handle(BP_NATIVE_QUEUE, state_->open_queue(), &handle),
      *state_->device.backend, state_->device.name);
  return handle;
}

StreamGuard::StreamGuard(const Stream& stream)
    : device_(stream.device()),
      previous_(std::exchange(detail::current_slot(device_.state()), stream.state())) {}

StreamGuard::~StreamGuard() { detail::current_slot(device_.state()) = std::move(previous_); }

}  // namespace backplane
