// One queue of a device, its lock, and the names of what ran on it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backplane/plugin/abi.h"
#include "backplane/stream.hpp"
#include "stream/sequence_state.hpp"

namespace backplane::detail {

struct DeviceState;

struct StreamState {
  explicit StreamState(DeviceState& device);
  ~StreamState();
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  // Waits, then throws what the error record holds; the record is cleared, so that the next
  // operation works again.
  void synchronize();
  // Gives the queue back; the stream can't be used afterwards.
  void close() noexcept;
  [[nodiscard]] bp_queue* open_queue() const;  // Error after close()

  // Notes the name of the next operation and returns its number. Under `mutex`.
  std::uint64_t next_operation(const char* name) {
    const std::uint64_t number = ++sequence;
    recent[number % recent.size()] = name;
    return number;
  }

  // Of an operation by its number; null: too long ago. Under `mutex`.
  [[nodiscard]] const char* name_of(std::uint64_t number) const noexcept;

  DeviceState& device;
  bp_queue* queue = nullptr;
  std::mutex mutex;  // the border wants calls on one queue serialised
  std::uint64_t sequence = 0;
  std::array<const char*, 4096> recent{};
  std::vector<const SequenceState*> sequences;  // noted here: their operations keep their numbers

 private:
  void throw_fault(const bp_error_record& record) const;
};

struct EventState {
  explicit EventState(DeviceState& device);
  ~EventState();
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  void close() noexcept;
  [[nodiscard]] bp_event* open() const;  // Error after close()

  DeviceState& device;
  bp_event* event = nullptr;
};

// The stream that this thread's operations on a device go to.
[[nodiscard]] const std::shared_ptr<StreamState>& current_stream(DeviceState& device);

}  // namespace backplane::detail
