// Events: marks in a stream.
#include "backplane/stream.hpp"
#include "check.hpp"
#include "device/device_state.hpp"
#include "stream/stream_state.hpp"

namespace backplane {
namespace detail {

EventState::EventState(DeviceState& on) : device(on) {
  const bp_status status = device.table().event_create(device.handle(), &event);
  check_made(status, event, *device.backend, device.name);
}

EventState::~EventState() { close(); }

void EventState::close() noexcept {
  if (event != nullptr) device.table().event_destroy(event);
  event = nullptr;
}

bp_event* EventState::open() const {
  if (event == nullptr) reject("event: {} was shut down; make a new event", device.name);
  return event;
}

}  // namespace detail

Event::Event(Device device) {
  if (device.is_host()) detail::reject("event: the host has no streams; choose a device");
  state_ = std::make_shared<detail::EventState>(device.state());
  device.state().events.add(state_);
}

void Event::record(const Stream& stream) {
  detail::StreamState& on = *stream.state();
  if (&on.device != &state_->device) {
    detail::reject("event: belongs to {}, the stream to {}; make the event on the stream's device",
                   state_->device.name, on.device.name);
  }
  const std::scoped_lock lock(on.mutex);
  detail::check(on.device.table().event_record(state_->open(), on.open_queue()),
                *on.device.backend, on.device.name);
}

bool Event::done() const {
  std::uint32_t done = 0;
  detail::check(state_->device.table().event_query(state_->open(), &done), *state_->device.backend,
                state_->device.name);
  return done != 0;
}

void Event::synchronize() const {
  detail::check(state_->device.table().event_synchronize(state_->open()), *state_->device.backend,
                state_->device.name);
}

double Event::seconds_until(const Event& last) const {
  if (&last.state_->device != &state_->device) {
    detail::reject("event: time is measured on one device, the events belong to {} and {}",
                   state_->device.name, last.state_->device.name);
  }
  double seconds = 0;
  detail::check(state_->device.table().event_elapsed(state_->open(), last.state_->open(), &seconds),
                *state_->device.backend, state_->device.name);
  return seconds;
}

void* Event::native_handle() const {
  void* handle = nullptr;
  detail::check(state_->device.table().native_handle(BP_NATIVE_EVENT, state_->open(), &handle),
                *state_->device.backend, state_->device.name);
  return handle;
}

}  // namespace backplane
