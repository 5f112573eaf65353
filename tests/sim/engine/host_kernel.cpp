// The shared arena of kernels that the host compiler has compiled.
#include "engine/host_kernel.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace backplane::sim::host {

void* shared(std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t kGap = 32;
  Thread& self = thread();
  const std::size_t unit = alignment > 8 ? alignment : 8;  // ASan marks eight bytes at a time
  const std::size_t begin = (self.shared_used + unit - 1) / unit * unit;
  if (begin + bytes + kGap > BlockRunner::kMaxShared) {
    BlockRunner::current().fail(&self, Fault::shared_out_of_range,
                                "more shared memory than a block has", 0);
  }
  self.shared_used = static_cast<uint32_t>(begin + bytes + kGap);
  unsigned char* place = self.block->shared + begin;
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(place + bytes, kGap);
#endif
  return place;
}

BlockRunner& runner() {
  // Never destroyed: its fibers may be in the middle of a kernel that failed.
  static thread_local BlockRunner* made = new BlockRunner;
  return *made;
}

}  // namespace backplane::sim::host
