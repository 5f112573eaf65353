// A sequence that was noted on a stream, with the names of its operations.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backplane/plugin/abi.h"

namespace backplane::detail {

struct StreamState;

class SequenceState {
 public:
  // Notes what `enqueue_all` enqueues on the stream, whose mutex is held meanwhile.
  SequenceState(std::shared_ptr<StreamState> stream, const std::function<void()>& enqueue_all);
  ~SequenceState() { close(); }
  SequenceState(const SequenceState&) = delete;
  SequenceState& operator=(const SequenceState&) = delete;

  // Enqueues it, with the scalars of each noted run that has any.
  void run(std::span<const bp_scalars> scalars) const;
  // Gives it back; it can't be run afterwards.
  void close() noexcept;

  // Of a noted operation, by its number on the stream; null: none of these.
  [[nodiscard]] const char* name_of(std::uint64_t number) const noexcept;

 private:
  void note(const std::function<void()>& enqueue_all);

  std::shared_ptr<StreamState> stream_;
  bp_sequence* sequence_ = nullptr;
  std::uint64_t first_ = 0;
  std::vector<const char*> names_;
};

}  // namespace backplane::detail
