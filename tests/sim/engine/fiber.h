// A fiber: a stack of its own and a point at which to go on. One fiber runs one thread of a block.
#pragma once

#include <cstddef>

// Define BACKPLANE_SIM_UCONTEXT to use ucontext on x86-64 as well.
#if !defined(__x86_64__) && !defined(BACKPLANE_SIM_UCONTEXT)
#define BACKPLANE_SIM_UCONTEXT
#endif
#if defined(BACKPLANE_SIM_UCONTEXT)
#include <ucontext.h>
#endif

namespace backplane::sim {

// A fiber must be resumed on the OS thread that prepared it.
class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes the next switch to this fiber call `entry`, which must never return. Whatever the fiber
  // did before is forgotten without running destructors.
  void prepare(void (*entry)());

  // Leaves `from` (which may be the fiber of the OS thread itself) and goes on in this one.
  void switch_from(Fiber& from);

  // Whether an address lies on this fiber's stack.
  bool holds(const void* address, std::size_t bytes) const;

 private:
  void allocate_stack();
  void finish_switch();

  char* stack_ = nullptr;
  void* sanitizer_state_ = nullptr;
  void (*entry_)() = nullptr;
  Fiber* came_from_ = nullptr;
  const void* os_stack_bottom_ = nullptr;  // learnt at the first switch, for the sanitizer
  std::size_t os_stack_bytes_ = 0;
#if !defined(BACKPLANE_SIM_UCONTEXT)
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_ = {};
#endif
  friend void fiber_entry();
};

}  // namespace backplane::sim
