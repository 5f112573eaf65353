// Fiber switches: twenty instructions on x86-64, ucontext elsewhere; the address sanitizer is told.
#include "engine/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined(BACKPLANE_SIM_UCONTEXT)
extern "C" void backplane_sim_switch(void** save, void* resume);
// Saves what the System V convention lets a callee keep. Kernels do not change rounding modes
// across a switch, so the floating-point control words stay.
asm(R"(
.text
.globl backplane_sim_switch
.hidden backplane_sim_switch
.type backplane_sim_switch,@function
backplane_sim_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp,(%rdi)
  mov %rsi,%rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size backplane_sim_switch,.-backplane_sim_switch
)");
#endif

namespace backplane::sim {
namespace {

constexpr std::size_t kStackBytes = 128 << 10;
constexpr std::size_t kGuardBytes = 4096;

// The fiber that is being entered; read once by the first instructions on its stack.
thread_local Fiber* entering = nullptr;

}  // namespace

Fiber::~Fiber() {
  if (stack_ != nullptr) munmap(stack_ - kGuardBytes, kStackBytes + kGuardBytes);
}

void Fiber::allocate_stack() {
  void* mapped = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  mprotect(mapped, kGuardBytes, PROT_NONE);
  stack_ = static_cast<char*>(mapped) + kGuardBytes;
}

bool Fiber::holds(const void* address, std::size_t bytes) const {
  const auto low = reinterpret_cast<std::uintptr_t>(stack_);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return stack_ != nullptr && at >= low && at + bytes <= low + kStackBytes;
}

void Fiber::finish_switch() {
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(sanitizer_state_, &bottom, &size);
  // The OS thread's own stack has no other way of telling where it lies.
  if (came_from_ != nullptr && came_from_->stack_ == nullptr) {
    came_from_->os_stack_bottom_ = bottom;
    came_from_->os_stack_bytes_ = size;
  }
#endif
}

void fiber_entry() {
  Fiber* self = entering;
  self->finish_switch();
  self->entry_();
  __builtin_trap();
}

void Fiber::prepare(void (*entry)()) {
  if (stack_ == nullptr) allocate_stack();
  entry_ = entry;
  sanitizer_state_ = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(stack_, kStackBytes);  // frames abandoned by a fault
#endif
#if !defined(BACKPLANE_SIM_UCONTEXT)
  void** top = reinterpret_cast<void**>(stack_ + kStackBytes);
  *--top = nullptr;  // keeps the stack aligned as after a call
  *--top = reinterpret_cast<void*>(fiber_entry);
  top -= 6;
  std::memset(top, 0, 6 * sizeof(void*));
  stack_pointer_ = top;
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = kStackBytes;
  context_.uc_link = nullptr;
  makecontext(&context_, fiber_entry, 0);
#endif
}

void Fiber::switch_from(Fiber& from) {
  entering = this;
  came_from_ = &from;
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = stack_ != nullptr ? stack_ : os_stack_bottom_;
  const std::size_t size = stack_ != nullptr ? kStackBytes : os_stack_bytes_;
  __sanitizer_start_switch_fiber(&from.sanitizer_state_, bottom, size);
#endif
#if !defined(BACKPLANE_SIM_UCONTEXT)
  backplane_sim_switch(&from.stack_pointer_, stack_pointer_);
#else
  swapcontext(&from.context_, &context_);
#endif
  from.finish_switch();
}

}  // namespace backplane::sim
