// Block barriers and the meetings of a warp's lanes.
#include <algorithm>
#include <bit>

#include "engine/block_runner.h"

namespace backplane::sim {

// A barrier in divergent code is an error here even where a card would let it pass by counting:
// OpenCL calls it undefined, and the kernels are shared.
uint32_t BlockRunner::barrier(Thread& thread, uint32_t id, uint32_t threads, BarrierVote vote,
                              bool value, int line) {
  if (id >= barriers_.size()) fail(&thread, Fault::trap, "barrier number above 15", line);
  Barrier& barrier = barriers_[id];
  const uint32_t expected = threads == 0 ? block_.threads : threads;
  if (threads == 0 && left_ > 0) {
    fail(&thread, Fault::divergent_barrier,
         "divergent barrier: another thread has left the kernel before it", line);
  }
  if (barrier.arrived > 0 && barrier.line != line) {
    fail(&thread, Fault::divergent_barrier,
         "divergent barrier: other threads wait at line " + std::to_string(barrier.line), line);
  }
  if (barrier.arrived > 0 && barrier.expected != expected) {
    fail(&thread, Fault::divergent_barrier, "barrier with two thread counts", line);
  }
  barrier.expected = expected;
  barrier.line = line;
  barrier.votes += value ? 1 : 0;
  if (++barrier.arrived == expected) {
    release_barrier(barrier);
  } else {
    barrier.waiting.push_back(current_fiber_);
    wait();
  }
  switch (vote) {
    case BarrierVote::none:
      return 0;
    case BarrierVote::count:
      return barrier.result;
    case BarrierVote::all:
      return barrier.result == expected;
    case BarrierVote::any:
      return barrier.result != 0;
  }
  return 0;
}

void BlockRunner::release_barrier(Barrier& barrier) {
  for (uint32_t fiber : barrier.waiting) make_ready(fiber);
  barrier.waiting.clear();
  barrier.result = barrier.votes;
  barrier.votes = barrier.arrived = 0;
  ++block_.interval;
}

BlockRunner::Group& BlockRunner::join_group(Thread& thread, uint32_t mask, int line) {
  const uint32_t warp = thread.linear / 32;
  const uint32_t lane = thread.linear % 32;
  if ((mask >> lane & 1) == 0) {
    fail(&thread, Fault::trap, "lane calls a warp instruction whose mask does not name it", line);
  }
  std::deque<Group>& groups = groups_[warp];
  Group* unused = nullptr;
  for (Group& group : groups) {
    if (group.mask == mask && group.line == line && !group.complete &&
        (group.arrived >> lane & 1) == 0) {
      return group;
    }
    if (group.mask == 0 && unused == nullptr) unused = &group;
  }
  if (unused == nullptr) unused = &groups.emplace_back();
  const uint32_t in_block = block_.threads - warp * 32;
  const uint32_t existing = in_block >= 32 ? ~0u : (1u << in_block) - 1;
  *unused = Group{};
  unused->mask = mask;
  unused->needed = mask & existing & ~exited_lanes_[warp];
  unused->line = line;
  unused->values.present = 0;
  std::fill(std::begin(unused->values.value), std::end(unused->values.value), ~0u);
  return *unused;
}

void BlockRunner::complete_group(Group& group, uint32_t except_fiber) {
  group.complete = true;
  if (group.is_fence) ++warp_interval_[group.warp];
  group.values.present = group.arrived;
  group.readers = static_cast<uint32_t>(std::popcount(group.arrived));
  for (uint32_t lanes = group.arrived; lanes != 0; lanes &= lanes - 1) {
    const uint32_t fiber = group.fibers[std::countr_zero(lanes)];
    if (fiber != except_fiber) make_ready(fiber);
  }
}

void BlockRunner::exchange(Thread& thread, uint32_t mask, uint32_t value, int line,
                           WarpValues& out) {
  meet(thread, mask, value, line, false, out);
}

void BlockRunner::meet(Thread& thread, uint32_t mask, uint32_t value, int line, bool is_fence,
                       WarpValues& out) {
  Group& group = join_group(thread, mask, line);
  group.warp = thread.linear / 32;
  group.is_fence = is_fence;
  const uint32_t lane = thread.linear % 32;
  group.arrived |= 1u << lane;
  group.values.value[lane] = value;
  group.fibers[lane] = current_fiber_;
  if (group.arrived == group.needed) {
    complete_group(group, current_fiber_);
  } else {
    wait();
  }
  out = group.values;
  if (--group.readers == 0) group.mask = 0;
}

// Only __syncwarp orders memory among the lanes; shuffles and votes do not.
void BlockRunner::warp_fence(Thread& thread, uint32_t mask, int line) {
  WarpValues ignored;
  meet(thread, mask, 0, line, true, ignored);
}

}  // namespace backplane::sim
