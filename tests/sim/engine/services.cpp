// The table of engine functions that translated kernels call, and the race checks behind it.
#include <cstdio>
#include <utility>

#include "engine/block_runner.h"

namespace backplane::sim {
namespace {

uint8_t byte_mask(uint64_t offset, uint32_t bytes) {
  return static_cast<uint8_t>(bytes >= 4 ? 15u : ((1u << bytes) - 1) << (offset % 4));
}

void* resolve(Thread& thread, uint64_t address, uint32_t bytes, Access access, int line) {
  return BlockRunner::current().resolve(thread, address, bytes, access, line);
}

void touch_page(Thread&, uint64_t page) {
  BlockRunner::current().environment().touch_page(page);
}

void check_global(Thread& thread, uint64_t offset, uint32_t bytes, Access access, int line) {
  const Block& block = *thread.block;
  // After a fence the launch may pass data from block to block (last block done, for instance);
  // then only races within a block are sought.
  const uint32_t lowest = block.grid_fenced ? block.first_interval : block.launch_interval;
  for (uint32_t at = 0; at < bytes; at += 4) {
    BlockRunner::current().check_race(thread, block.memory->cells[(offset + at) / 4],
                                      byte_mask(offset, bytes - at), access, "device memory",
                                      lowest, line);
  }
}

void check_shared(Thread& thread, uint32_t offset, uint32_t bytes, Access access, int line) {
  BlockRunner& runner = BlockRunner::current();
  for (uint32_t at = 0; at < bytes; at += 4) {
    runner.check_race(thread, *runner.shared_cell(offset + at), byte_mask(offset, bytes - at),
                      access, "shared memory", thread.block->first_interval, line);
  }
}

uint32_t barrier(Thread& thread, uint32_t id, uint32_t threads, BarrierVote vote, bool value,
                 int line) {
  return BlockRunner::current().barrier(thread, id, threads, vote, value, line);
}

void exchange(Thread& thread, uint32_t mask, uint32_t value, int line, WarpValues& out) {
  BlockRunner::current().exchange(thread, mask, value, line, out);
}

void warp_fence(Thread& thread, uint32_t mask, int line) {
  BlockRunner::current().warp_fence(thread, mask, line);
}

void grid_fence(Thread& thread) {
  thread.block->grid_fenced = true;
}

void fail(Thread& thread, Fault fault, const char* what, int line) {
  BlockRunner::current().fail(&thread, fault, what, line);
}

}  // namespace

extern const Services kServices;
const Services kServices = {resolve,  touch_page, check_global, check_shared, barrier,
                            exchange, warp_fence, grid_fence,   fail};

// Generic addresses of shared memory, of a thread's own stack and of the parameters are settled
// here; what is left belongs to the environment.
void* BlockRunner::resolve(Thread& thread, uint64_t address, uint32_t bytes, Access access,
                           int line) {
  if (address % bytes != 0 && bytes <= 16) {
    fail(&thread, Fault::misaligned_address, "address is not a multiple of its size", line);
  }
  if (address >= kSharedWindow && address < kSharedWindow + (1u << 30)) {
    const uint64_t offset = address - kSharedWindow;
    if (offset + bytes > block_.shared_bytes) {
      fail(&thread, Fault::shared_out_of_range,
           "shared memory out of range: byte " + std::to_string(offset) + " of " +
               std::to_string(block_.shared_bytes),
           line);
    }
    return block_.shared + offset;
  }
  void* pointer = reinterpret_cast<void*>(address);
  if (fibers_[current_fiber_]->holds(pointer, bytes)) return pointer;
  const auto parameters = reinterpret_cast<uint64_t>(block_.parameters);
  if (access == Access::read && address >= parameters &&
      address + bytes <= parameters + block_.parameter_bytes) {
    return pointer;
  }
  std::string why;
  void* storage = environment_->resolve(address, bytes, access, why);
  if (storage == nullptr) {
    char text[64];
    std::snprintf(text, sizeof text,
                  "%s of %u bytes at 0x%llx: ", access == Access::read ? "read" : "write", bytes,
                  static_cast<unsigned long long>(address));
    why.insert(0, text);
    fail(&thread, Fault::illegal_address, std::move(why), line);
  }
  return storage;
}

namespace {

// An earlier access, known by its interval and by who made it.
struct Earlier {
  uint32_t interval;
  uint16_t thread;
  uint16_t warp_interval;

  bool by_warp(uint32_t warp) const {
    return thread < kManyLanes ? thread / 32 == warp : thread == kManyLanes + warp;
  }
};

// Whether it is ordered before what the thread does now.
bool is_ordered(const Earlier& earlier, const Thread& thread, uint32_t lowest,
                uint16_t warp_interval) {
  const Block& block = *thread.block;
  if (earlier.interval < lowest) return true;
  if (earlier.interval < block.first_interval) return false;  // another block of this launch
  if (earlier.interval < block.interval) return true;         // a barrier lies between
  if (earlier.thread == thread.linear) return true;
  return earlier.by_warp(thread.linear / 32) && earlier.warp_interval != warp_interval;
}

// Who has read a word, after one more thread has.
uint16_t readers_with(const Earlier& reader, bool is_ordered_before, const Thread& thread) {
  if (is_ordered_before) return static_cast<uint16_t>(thread.linear);
  const uint32_t warp = thread.linear / 32;
  return reader.by_warp(warp) ? static_cast<uint16_t>(kManyLanes + warp) : kManyThreads;
}

}  // namespace

void BlockRunner::check_race(Thread& thread, RaceCell& cell, uint8_t mask, Access access,
                             const char* where, uint32_t lowest, int line) {
  if (access == Access::atomic) return;
  const uint16_t warp_interval = warp_interval_[thread.linear / 32];
  const auto conflict = [&](const char* what) {
    fail(&thread, Fault::race, std::string("race in ") + where + ": " + what, line);
  };
  const Earlier writer{cell.write_interval, cell.write_thread, cell.write_warp_interval};
  if ((cell.write_mask & mask) != 0 && !is_ordered(writer, thread, lowest, warp_interval)) {
    conflict(access == Access::write ? "two threads write the same bytes with no barrier between"
                                     : "reads what another thread writes with no barrier between");
  }
  const Earlier reader{cell.read_interval, cell.read_thread, cell.read_warp_interval};
  const bool read_before = is_ordered(reader, thread, lowest, warp_interval);
  if (access == Access::write) {
    if ((cell.read_mask & mask) != 0 && !read_before) {
      conflict("writes what another thread reads with no barrier between");
    }
    cell.write_interval = block_.interval;
    cell.write_thread = static_cast<uint16_t>(thread.linear) & kManyThreads;
    cell.write_mask = mask & 15;
    cell.write_warp_interval = warp_interval;
    return;
  }
  cell.read_mask = (read_before ? mask : cell.read_mask | mask) & 15;
  cell.read_thread = readers_with(reader, read_before, thread) & kManyThreads;
  cell.read_interval = block_.interval;
  cell.read_warp_interval = warp_interval;
}

}  // namespace backplane::sim
