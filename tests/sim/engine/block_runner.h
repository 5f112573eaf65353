// Runs a kernel block by block, each thread on a fiber, with barriers, warp exchanges and faults.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "engine/fiber.h"
#include "engine/kernel_abi.h"

namespace backplane::sim {

struct LaunchShape {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
};

// The world outside the engine. The base class knows no device memory: every address is illegal.
class Environment {
 public:
  virtual ~Environment() = default;
  // Storage for an address that the fast path refused, or null with `why` filled.
  virtual void* resolve(uint64_t address, uint32_t bytes, Access access, std::string& why);
  virtual void touch_page(uint64_t page);
  // Describes an address for a message.
  virtual std::string describe(uint64_t address);
  MemoryView memory;
  const uint64_t* variables = nullptr;
};

struct Outcome {
  Fault fault = Fault::none;
  std::string message;  // empty when all went well
};

// Use from one OS thread at a time; fibers and the shared arena are kept from launch to launch.
class BlockRunner {
 public:
  static constexpr uint32_t kMaxThreads = 1024;
  static constexpr uint32_t kMaxShared = 99 << 10;

  BlockRunner();
  ~BlockRunner();

  // Other seeds than zero permute the order of threads, blocks and resumptions.
  void set_order_seed(uint32_t seed) { seed_ = seed; }

  Outcome run(const KernelEntry& kernel, const LaunchShape& shape, const unsigned char* parameters,
              Environment& environment);

  // From here on: for code that runs in a kernel.
  uint32_t barrier(Thread& thread, uint32_t id, uint32_t threads, BarrierVote vote, bool value,
                   int line);
  void exchange(Thread& thread, uint32_t mask, uint32_t value, int line, WarpValues& out);
  void warp_fence(Thread& thread, uint32_t mask, int line);
  void check_race(Thread& thread, RaceCell& cell, uint8_t mask, Access access, const char* where,
                  uint32_t lowest_interval, int line);
  RaceCell* shared_cell(uint32_t offset) { return &shared_cells_[offset / 4]; }
  // Ends the launch. `what` is moved from: the caller's frame is abandoned, not unwound.
  [[noreturn]] void fail(Thread* thread, Fault fault, std::string&& what, int line);
  void* resolve(Thread& thread, uint64_t address, uint32_t bytes, Access access, int line);
  Environment& environment() { return *environment_; }
  static BlockRunner& current();  // of the kernel that runs on this OS thread
  static Thread& current_thread();

 private:
  struct Barrier {
    uint32_t expected = 0;
    uint32_t arrived = 0;
    uint32_t votes = 0;
    uint32_t result = 0;
    int line = 0;
    std::vector<uint32_t> waiting;  // fibers
  };
  struct Group {  // lanes of one warp that meet at one warp instruction
    uint32_t mask = 0;
    uint32_t needed = 0;
    uint32_t arrived = 0;
    uint32_t readers = 0;
    uint32_t warp = 0;
    int line = 0;
    bool complete = false;
    bool is_fence = false;  // orders memory when complete
    WarpValues values;
    std::array<uint32_t, 32> fibers;
  };

  void run_block(const unsigned char* parameters);
  void fill_threads(const LaunchShape& shape);
  void start_block();
  static void fiber_main();
  void run_threads();
  void wait();
  void thread_left(Thread& thread);
  void meet(Thread& thread, uint32_t mask, uint32_t value, int line, bool is_fence,
            WarpValues& out);
  void complete_group(Group& group, uint32_t except_fiber);
  Group& join_group(Thread& thread, uint32_t mask, int line);
  void release_barrier(Barrier& barrier);
  [[noreturn]] void report_stuck();
  [[noreturn]] void leave();
  void make_ready(uint32_t fiber);
  uint32_t take_ready();
  uint32_t random(uint32_t below);

  Block block_{};
  std::vector<Thread> threads_;
  std::vector<uint32_t> order_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<uint32_t> fiber_thread_;
  std::vector<uint32_t> ready_;  // a ring
  uint32_t ready_head_ = 0;
  uint32_t ready_count_ = 0;
  uint32_t next_thread_ = 0;
  uint32_t fibers_used_ = 0;
  uint32_t current_fiber_ = 0;
  uint32_t left_ = 0;
  uint32_t seed_ = 0;
  uint32_t random_state_ = 1;
  std::array<Barrier, 16> barriers_;
  std::vector<std::deque<Group>> groups_;  // by warp; references must stay good
  std::vector<uint32_t> exited_lanes_;     // by warp
  std::vector<uint16_t> warp_interval_;
  std::vector<RaceCell> shared_cells_;
  std::unique_ptr<unsigned char[]> shared_;
  Fiber outside_;
  const KernelEntry* kernel_ = nullptr;
  Environment* environment_ = nullptr;
  Outcome outcome_;
};

}  // namespace backplane::sim
