// The block scheduler: starts threads on fibers as late as it can and lets the ready ones go on.
// A kernel without barriers or warp operations needs a single fiber for all of its threads.
#include "engine/block_runner.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "engine/readable_name.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace backplane::sim {
namespace {

thread_local BlockRunner* running = nullptr;
thread_local Thread* running_thread = nullptr;

}  // namespace

void* Environment::resolve(uint64_t, uint32_t, Access, std::string& why) {
  why = "no such address";
  return nullptr;
}
void Environment::touch_page(uint64_t) {}
std::string Environment::describe(uint64_t) {
  return {};
}

extern const Services kServices;

BlockRunner::BlockRunner() : shared_(new unsigned char[kMaxShared + 64]) {
  threads_.resize(kMaxThreads);
  order_.resize(kMaxThreads);
  ready_.resize(kMaxThreads);
  fiber_thread_.resize(kMaxThreads);
  groups_.resize(kMaxThreads / 32);
  exited_lanes_.resize(kMaxThreads / 32);
  warp_interval_.resize(kMaxThreads / 32);
  shared_cells_.resize(kMaxShared / 4 + 16);
}

BlockRunner::~BlockRunner() = default;

BlockRunner& BlockRunner::current() {
  return *running;
}
Thread& BlockRunner::current_thread() {
  return *running_thread;
}

uint32_t BlockRunner::random(uint32_t below) {
  random_state_ = random_state_ * 1664525u + 1013904223u;
  return (random_state_ >> 8) % below;
}

void BlockRunner::make_ready(uint32_t fiber) {
  ready_[(ready_head_ + ready_count_++) % kMaxThreads] = fiber;
}

uint32_t BlockRunner::take_ready() {
  if (seed_ != 0 && ready_count_ > 1) {
    std::swap(ready_[ready_head_], ready_[(ready_head_ + random(ready_count_)) % kMaxThreads]);
  }
  const uint32_t fiber = ready_[ready_head_];
  ready_head_ = (ready_head_ + 1) % kMaxThreads;
  --ready_count_;
  return fiber;
}

void BlockRunner::fill_threads(const LaunchShape& shape) {
  uint32_t linear = 0;
  for (uint32_t z = 0; z < shape.block[2]; ++z) {
    for (uint32_t y = 0; y < shape.block[1]; ++y) {
      for (uint32_t x = 0; x < shape.block[0]; ++x, ++linear) {
        threads_[linear] = Thread{{x, y, z}, linear, 0, &block_};
      }
    }
  }
}

Outcome BlockRunner::run(const KernelEntry& kernel, const LaunchShape& shape,
                         const unsigned char* parameters, Environment& environment) {
  if (outcome_.fault != Fault::none) {
    for (auto& warp : groups_) warp.clear();  // what a fault left unfinished
  }
  kernel_ = &kernel;
  environment_ = &environment;
  outcome_ = {};
  block_.threads = shape.block[0] * shape.block[1] * shape.block[2];
  block_.shared_bytes = kernel.static_shared_bytes + shape.dynamic_shared_bytes;
  if (block_.threads < 1 || block_.threads > kMaxThreads || block_.shared_bytes > kMaxShared) {
    return {Fault::unsupported, "block of an impossible size"};
  }
  std::copy(shape.block.begin(), shape.block.end(), block_.size);
  std::copy(shape.grid.begin(), shape.grid.end(), block_.grid);
  block_.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  block_.shared = shared_.get();
  block_.parameters = parameters;
  block_.parameter_bytes = kernel.parameter_bytes;
  block_.variables = environment.variables;
  block_.memory = &environment.memory;
  block_.services = &kServices;
  block_.launch_interval = ++block_.interval;
  block_.grid_fenced = false;
  fill_threads(shape);
  random_state_ = seed_ + 1;

  BlockRunner* outer = std::exchange(running, this);
  const uint64_t blocks = uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  for (uint64_t i = 0; i < blocks && outcome_.fault == Fault::none; ++i) {
    const uint64_t at = seed_ % 2 == 0 ? i : blocks - 1 - i;  // odd seeds: last block first
    block_.index[0] = static_cast<uint32_t>(at % shape.grid[0]);
    block_.index[1] = static_cast<uint32_t>(at / shape.grid[0] % shape.grid[1]);
    block_.index[2] = static_cast<uint32_t>(at / shape.grid[0] / shape.grid[1]);
    run_block(parameters);
  }
  running = outer;
  return outcome_;
}

void BlockRunner::start_block() {
  const uint32_t warps = (block_.threads + 31) / 32;
  block_.first_interval = ++block_.interval;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(shared_.get(), kMaxShared);  // gaps of the block before
#endif
  // All ones is a NaN in every float format: a value that was never written shows.
  std::memset(shared_.get(), 0xFF, block_.shared_bytes);
  std::iota(order_.begin(), order_.begin() + block_.threads, 0u);
  if (seed_ != 0) {
    for (uint32_t i = block_.threads - 1; i > 0; --i) std::swap(order_[i], order_[random(i + 1)]);
  }
  ready_head_ = ready_count_ = next_thread_ = left_ = 0;
  for (Barrier& barrier : barriers_) {
    barrier.arrived = barrier.votes = 0;
    barrier.waiting.clear();
  }
  for (uint32_t warp = 0; warp < warps; ++warp) {
    exited_lanes_[warp] = 0;
    warp_interval_[warp] = 0;
  }
}

void BlockRunner::run_block(const unsigned char* parameters) {
  block_.parameters = parameters;
  start_block();
  fibers_used_ = 1;
  current_fiber_ = 0;
  if (fibers_.empty()) fibers_.push_back(std::make_unique<Fiber>());
  fibers_[0]->prepare(fiber_main);
  fibers_[0]->switch_from(outside_);
}

void BlockRunner::fiber_main() {
  running->run_threads();
  __builtin_unreachable();
}

// A fiber runs thread after thread; only where one has to wait does another fiber begin.
void BlockRunner::run_threads() {
  while (next_thread_ < block_.threads) {
    Thread& thread = threads_[order_[next_thread_++]];
    thread.shared_used = 0;
    fiber_thread_[current_fiber_] = thread.linear;
    running_thread = &thread;
    kernel_->call(thread, block_.parameters);
    thread_left(thread);
  }
  if (left_ == block_.threads) leave();
  wait();
  __builtin_unreachable();
}

void BlockRunner::leave() {
  outside_.switch_from(*fibers_[current_fiber_]);
  __builtin_unreachable();
}

// Leaves the current fiber until someone makes it ready; returns at once if that has happened.
void BlockRunner::wait() {
  const uint32_t self = current_fiber_;
  if (ready_count_ > 0) {
    current_fiber_ = take_ready();
  } else if (next_thread_ < block_.threads) {
    current_fiber_ = fibers_used_++;
    if (current_fiber_ == fibers_.size()) fibers_.push_back(std::make_unique<Fiber>());
    fibers_[current_fiber_]->prepare(fiber_main);
  } else {
    report_stuck();
  }
  if (current_fiber_ != self) fibers_[current_fiber_]->switch_from(*fibers_[self]);
  running_thread = &threads_[fiber_thread_[self]];
}

void BlockRunner::thread_left(Thread& thread) {
  ++left_;
  for (const Barrier& barrier : barriers_) {
    if (barrier.arrived > 0 && barrier.expected == block_.threads) {
      fail(&thread, Fault::divergent_barrier,
           "divergent barrier: a thread leaves the kernel while others wait for it", barrier.line);
    }
  }
  const uint32_t bit = 1u << (thread.linear % 32);
  const uint32_t warp = thread.linear / 32;
  exited_lanes_[warp] |= bit;
  for (Group& group : groups_[warp]) {
    if (group.mask == 0 || group.complete || (group.needed & bit) == 0) continue;
    group.needed &= ~bit;
    if (group.arrived == group.needed) complete_group(group, ~0u);
  }
}

void BlockRunner::report_stuck() {
  for (uint32_t id = 0; id < barriers_.size(); ++id) {
    const Barrier& barrier = barriers_[id];
    if (barrier.arrived == 0) continue;
    fail(nullptr, Fault::divergent_barrier,
         "divergent barrier: reached by " + std::to_string(barrier.arrived) + " of " +
             std::to_string(barrier.expected) + " threads",
         barrier.line);
  }
  for (const auto& warp : groups_) {
    for (const Group& group : warp) {
      if (group.mask == 0 || group.complete) continue;
      fail(nullptr, Fault::divergent_barrier,
           "warp instruction not reached by every lane of its mask", group.line);
    }
  }
  fail(nullptr, Fault::divergent_barrier, "threads wait for nothing", 0);
}

namespace {

std::string triple(const uint32_t* v) {
  return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

std::string fault_message(const KernelEntry& kernel, const Block& block, const Thread* thread,
                          const std::string& what, int line) {
  std::string message = readable_name(kernel.name) + ": " + what;
  if (line > 0) message += " (line " + std::to_string(line) + ")";
  message += ", block " + triple(block.index);
  return thread == nullptr ? message : message + " thread " + triple(thread->index);
}

}  // namespace

void BlockRunner::fail(Thread* thread, Fault fault, std::string&& what, int line) {
  outcome_.fault = fault;
  outcome_.message = fault_message(*kernel_, block_, thread, std::move(what), line);
  std::string().swap(what);  // no destructor of the caller will run
  leave();
}

}  // namespace backplane::sim
