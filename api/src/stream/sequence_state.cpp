// Sequences of a stream: noting, running and giving back.
#include "stream/sequence_state.hpp"

#include <algorithm>

#include "check.hpp"
#include "device/device_state.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {

SequenceState::SequenceState(std::shared_ptr<StreamState> stream,
                             const std::function<void()>& enqueue_all)
    : stream_(std::move(stream)) {
  const std::scoped_lock lock(stream_->mutex);
  note(enqueue_all);
  for (std::uint64_t number = first_; number <= stream_->sequence; ++number) {
    names_.push_back(stream_->name_of(number));
  }
  stream_->sequences.push_back(this);
}

void SequenceState::note(const std::function<void()>& enqueue_all) {
  const DeviceState& device = stream_->device;
  const bp_backend& table = device.table();
  bp_queue* queue = stream_->open_queue();
  first_ = stream_->sequence + 1;
  check(table.sequence_begin(queue), *device.backend, device.name);
  try {
    enqueue_all();
  } catch (...) {  // what was noted so far is of no use, and the queue goes on
    if (table.sequence_end(queue, &sequence_) == BP_OK) table.sequence_destroy(sequence_);
    throw;
  }
  const bp_status status = table.sequence_end(queue, &sequence_);
  check_made(status, sequence_, *device.backend, device.name);
}

void SequenceState::run(std::span<const bp_scalars> scalars) const {
  const DeviceState& device = stream_->device;
  const std::scoped_lock lock(stream_->mutex);
  check(device.table().sequence_run(sequence_, stream_->open_queue(), scalars.data(),
                                    static_cast<std::uint32_t>(scalars.size())),
        *device.backend, device.name);
}

void SequenceState::close() noexcept {
  const std::scoped_lock lock(stream_->mutex);
  if (sequence_ == nullptr) return;
  std::erase(stream_->sequences, this);
  stream_->device.table().sequence_destroy(sequence_);
  sequence_ = nullptr;
}

const char* SequenceState::name_of(std::uint64_t number) const noexcept {
  if (number < first_ || number - first_ >= names_.size()) return nullptr;
  return names_[number - first_];
}

}  // namespace backplane::detail
