// A ring of pinned memory through which uploads pass, so that the source may be reused at once.
#pragma once

#include <array>
#include <cstddef>

#include "card/memory.hpp"
#include "handles.hpp"

namespace backplane::opencl {

// Belongs to one queue.
class Staging {
 public:
  Staging(cl_context context, cl_command_queue queue) : context_(context), queue_(queue) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Returns when `source` may be reused; waits only where the whole ring is on its way.
  void upload(const card::Memory& target, const char* source, std::size_t bytes);

 private:
  // Four pieces of 1 MiB keep a PCIe link busy while the host fills the next one.
  static constexpr std::size_t slot_bytes = std::size_t{1} << 20;
  struct Slot {
    Mem pinned;              // memory that the driver made for transfers,
    char* memory = nullptr;  // mapped for as long as the ring lives
    EventHandle passed;      // of the last upload from here
  };

  Slot& take();
  void open(Slot& slot) const;

  cl_context context_;
  cl_command_queue queue_;
  std::array<Slot, 4> slots_;
  std::size_t next_ = 0;
};

}  // namespace backplane::opencl
