// A ring of pinned memory through which transfers pass, so that the card copies while the host
// goes on, whatever kind of memory the program has.
#pragma once

#include <array>
#include <cstddef>

#include "handles.hpp"

namespace backplane::cuda {

// Belongs to one stream; its device must be current.
class Staging {
 public:
  explicit Staging(cudaStream_t stream) : stream_(stream) {}

  // Returns when `source` may be reused.
  void upload(char* target, const char* source, std::size_t bytes);
  // `target` is filled by the time finish() returns.
  void download(const char* source, char* target, std::size_t bytes);
  // Hands over what arrived; the stream must have been synchronised.
  void finish();

 private:
  // Four pieces of 1 MiB keep a PCIe link busy while the host fills the next one.
  static constexpr std::size_t slot_bytes = std::size_t{1} << 20;
  struct Slot {
    PinnedMemory<char> memory;
    EventHandle passed;
    bool busy = false;
    char* target = nullptr;  // of a download that arrives here
    std::size_t bytes = 0;
  };

  Slot& take();
  static void hand_over(Slot& slot);

  cudaStream_t stream_;
  std::array<Slot, 4> slots_;
  std::size_t next_ = 0;
};

}  // namespace backplane::cuda
