// Piece by piece through the ring; a slot is waited for only when the ring is full.
#include "staging.hpp"

#include <algorithm>
#include <cstring>

namespace backplane::cuda {

void Staging::hand_over(Slot& slot) {
  if (slot.target != nullptr) std::memcpy(slot.target, slot.memory.get(), slot.bytes);
  slot.target = nullptr;
  slot.busy = false;
}

Staging::Slot& Staging::take() {
  Slot& slot = slots_[next_];
  next_ = (next_ + 1) % slots_.size();
  if (slot.memory == nullptr) {
    slot.passed = make_event(cudaEventDisableTiming);
    slot.memory.reset(static_cast<char*>(allocate_pinned(slot_bytes)));
  }
  if (slot.busy) {
    check(cudaEventSynchronize(slot.passed.get()), "waiting for an earlier transfer");
    hand_over(slot);
  }
  return slot;
}

void Staging::upload(char* target, const char* source, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t piece = std::min(bytes, slot_bytes);
    Slot& slot = take();
    std::memcpy(slot.memory.get(), source, piece);
    check(cudaMemcpyAsync(target, slot.memory.get(), piece, cudaMemcpyHostToDevice, stream_),
          "uploading");
    check(cudaEventRecord(slot.passed.get(), stream_), "marking an upload");
    slot.busy = true;
    target += piece;
    source += piece;
    bytes -= piece;
  }
}

void Staging::download(const char* source, char* target, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t piece = std::min(bytes, slot_bytes);
    Slot& slot = take();
    check(cudaMemcpyAsync(slot.memory.get(), source, piece, cudaMemcpyDeviceToHost, stream_),
          "downloading");
    check(cudaEventRecord(slot.passed.get(), stream_), "marking a download");
    slot.target = target;
    slot.bytes = piece;
    slot.busy = true;
    target += piece;
    source += piece;
    bytes -= piece;
  }
}

void Staging::finish() {
  for (Slot& slot : slots_) hand_over(slot);
}

}  // namespace backplane::cuda
