// Streams and events: in-order lines of work on a device, and marks in them.
#pragma once

#include <memory>

#include "backplane/device.hpp"

namespace backplane {

namespace detail {
struct StreamState;
struct EventState;
}  // namespace detail

class Event;

// A handle on an in-order queue of one device. Operations go to the current stream of their device;
// tensors used on two streams need an Event between them, their memory needs nothing.
class Stream {
 public:
  explicit Stream(Device device);              // a new queue
  static Stream current(Device device);        // of this thread; each device has a default stream
  [[nodiscard]] Device device() const noexcept;

  // Returns when all work queued so far is done. Throws what kernels left in the error record.
  void synchronize() const;
  [[nodiscard]] bool idle() const;
  void wait(const Event& event) const;         // later work here starts after `event`
  // cudaStream_t, cl_command_queue ...; Error(not_found) where the back end has none.
  [[nodiscard]] void* native_handle() const;

  friend bool operator==(const Stream&, const Stream&) noexcept = default;

  explicit Stream(std::shared_ptr<detail::StreamState> state) noexcept : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::StreamState>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<detail::StreamState> state_;
};

// A point in a stream. An event that was never recorded counts as reached.
class Event {
 public:
  explicit Event(Device device);
  void record(const Stream& stream);
  [[nodiscard]] bool done() const;
  void synchronize() const;
  // Device time between two recorded and reached events, in seconds.
  [[nodiscard]] double seconds_until(const Event& last) const;
  [[nodiscard]] void* native_handle() const;

  [[nodiscard]] detail::EventState& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<detail::EventState> state_;
};

// Makes a stream current for its device on this thread.
class StreamGuard {
 public:
  explicit StreamGuard(const Stream& stream);
  ~StreamGuard();
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  Device device_;
  std::shared_ptr<detail::StreamState> previous_;
};

}  // namespace backplane
