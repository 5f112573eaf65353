// Handing out and taking back of blocks.
#include "memory/allocator.hpp"

#include <algorithm>
#include <bit>

#include "device/device_state.hpp"
#include "memory/size_class.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {

Block* Allocator::allocate(std::uint64_t bytes, StreamState* stream) {
  Settled settled;  // outlives the lock: a stream's end comes back here
  const std::scoped_lock lock(mutex_);
  const bool large = bytes > largest_small;
  const std::uint64_t rounded = large ? round_large(bytes) : size_of_class(class_of(bytes));
  if (rounded < bytes) report_exhaustion(bytes);  // the sum overflowed
  if (!pending_.empty()) collect_pending(false);
  Block* block = take(rounded, large, stream);
  if (block == nullptr) {
    settle(settled);
    block = take_foreign(rounded, large, settled);
  }
  if (block == nullptr) {
    release_unused(settled);
    block = take(rounded, large, stream);
  }
  if (block == nullptr) report_exhaustion(bytes);
  block->stream = stream;
  block->free = false;
  ++pools_[stream].in_use;
  stats_.allocated_bytes += block->bytes;
  stats_.peak_allocated_bytes = std::max(stats_.peak_allocated_bytes, stats_.allocated_bytes);
  ++stats_.allocations;
  return block;
}

// From the stream's own pool, from memory that no stream owns, or from a new segment.
Block* Allocator::take(std::uint64_t bytes, bool large, StreamState* stream) {
  Block* block = take_from(pools_[stream], bytes, large);
  if (block == nullptr && stream != nullptr) block = take_from(pools_[nullptr], bytes, large);
  if (block == nullptr) {
    large ? add_large_segment(bytes, stream) : add_small_segment(bytes, stream);
    block = take_from(pools_[stream], bytes, large);
  }
  return block;
}

// What another stream has cached serves as well once that stream is idle.
Block* Allocator::take_foreign(std::uint64_t bytes, bool large, const Settled& settled) {
  for (const auto& stream : settled) {
    const auto pool = pools_.find(stream.get());
    if (pool == pools_.end()) continue;
    if (Block* block = take_from(pool->second, bytes, large)) return block;
  }
  return nullptr;
}

Block* Allocator::take_from(Pool& pool, std::uint64_t bytes, bool large) {
  return large ? take_large(bytes, pool) : take_small(bytes, pool);
}

Block* Allocator::take_small(std::uint64_t bytes, Pool& pool) {
  const std::size_t index = class_of(bytes);
  if (index >= pool.small.size() || pool.small[index].empty()) return nullptr;
  Block* block = pool.small[index].back();
  pool.small[index].pop_back();
  return block;
}

Block* Allocator::take_large(std::uint64_t bytes, Pool& pool) {
  Block wanted;
  wanted.bytes = bytes;
  auto found = pool.large.lower_bound(&wanted);
  // Among equal sizes the order is by address, where null need not come first.
  while (found != pool.large.begin() && (*std::prev(found))->bytes >= bytes) --found;
  if (found == pool.large.end()) return nullptr;
  Block* block = *found;
  pool.large.erase(found);
  if (block->bytes - bytes < least_split) return block;
  auto* rest = new Block{block->segment, block->offset + bytes, block->bytes - bytes,
                         block->stream,  block,                 block->next,
                         true,           true};
  blocks_.insert(rest);
  if (block->next != nullptr) block->next->previous = rest;
  block->next = rest;
  block->bytes = bytes;
  pool.large.insert(rest);
  return block;
}

void Allocator::free(Block* block, std::uint64_t generation,
                     std::span<const std::shared_ptr<StreamState>> users) {
  const std::scoped_lock lock(mutex_);
  if (generation != generation_) return;  // a shutdown has released it already
  stats_.allocated_bytes -= block->bytes;
  Pending pending{block, {}};
  for (const auto& user : users) {
    const std::scoped_lock queue_lock(user->mutex);
    if (user->queue == nullptr) continue;
    bp_event* event = nullptr;
    const bp_backend& table = device_.table();
    if (table.event_create(device_.handle(), &event) != BP_OK) {
      table.queue_synchronize(user->queue);  // without an event, wait here
      continue;
    }
    if (table.event_record(event, user->queue) != BP_OK) table.queue_synchronize(user->queue);
    pending.events.push_back(event);
  }
  if (pending.events.empty()) {
    come_back(block);
  } else {
    pending_.push_back(std::move(pending));
  }
}

void Allocator::collect_pending(bool wait) {
  const bp_backend& table = device_.table();
  std::erase_if(pending_, [&](Pending& pending) {
    std::erase_if(pending.events, [&](bp_event* event) {
      std::uint32_t done = 0;
      if (wait) table.event_synchronize(event);
      if (!wait && (table.event_query(event, &done) != BP_OK || done == 0)) return false;
      table.event_destroy(event);
      return true;
    });
    if (pending.events.empty()) come_back(pending.block);
    return pending.events.empty();
  });
}

void Allocator::come_back(Block* block) {
  --pools_[block->stream].in_use;
  recycle(block);
}

// Into the pool; a large block grows over free neighbours of the same pool.
void Allocator::recycle(Block* block) {
  block->free = true;
  Pool& pool = pools_[block->stream];
  if (!block->large) {
    const std::size_t index = class_of(block->bytes);
    if (pool.small.size() <= index) pool.small.resize(index + 1);
    pool.small[index].push_back(block);
    return;
  }
  const auto mergeable = [&](const Block* other) {
    return other != nullptr && other->free && other->stream == block->stream;
  };
  if (mergeable(block->next)) {
    pool.large.erase(block->next);
    merge_with_next(block);
  }
  if (mergeable(block->previous)) {
    block = block->previous;
    pool.large.erase(block);
    merge_with_next(block);
  }
  pool.large.insert(block);
}

void Allocator::merge_with_next(Block* block) {
  Block* gone = block->next;
  block->bytes += gone->bytes;
  block->next = gone->next;
  if (block->next != nullptr) block->next->previous = block;
  blocks_.erase(gone);
  delete gone;
}

void Allocator::adopt(StreamState* stream) {
  const std::scoped_lock lock(mutex_);
  const auto own = pools_.find(stream);
  if (own == pools_.end()) return;
  const Pool left = std::move(own->second);
  pools_.erase(own);
  Pool& common = pools_[nullptr];
  if (common.small.size() < left.small.size()) common.small.resize(left.small.size());
  for (std::size_t index = 0; index < left.small.size(); ++index) {
    for (Block* block : left.small[index]) {
      block->stream = nullptr;
      common.small[index].push_back(block);
    }
  }
  for (Block* block : left.large) {
    block->stream = nullptr;
    common.large.insert(block);
  }
  if (left.in_use == 0) return;
  common.in_use += left.in_use;
  for (Block* block : blocks_) {
    if (block->stream == stream) block->stream = nullptr;
  }
}

MemoryStats Allocator::stats() const {
  const std::scoped_lock lock(mutex_);
  return stats_;
}

void Allocator::reset_peak() {
  const std::scoped_lock lock(mutex_);
  stats_.peak_allocated_bytes = stats_.allocated_bytes;
}

void Allocator::set_limit(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  stats_.limit_bytes = bytes;
}

}  // namespace backplane::detail
