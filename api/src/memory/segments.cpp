// How the allocator takes memory from the device and gives it back.
#include <fmt/format.h>

#include <algorithm>

#include "check.hpp"
#include "device/device_state.hpp"
#include "memory/allocator.hpp"
#include "memory/host_memory.hpp"
#include "memory/size_class.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {
namespace {

std::string readable(std::uint64_t bytes) {
  if (bytes < 10ull << 20) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

void Allocator::add_small_segment(std::uint64_t bytes, StreamState* stream) {
  std::unique_ptr<Segment> segment = obtain(small_segment);
  if (segment == nullptr) return;
  for (std::uint64_t offset = 0; offset + bytes <= small_segment; offset += bytes) {
    auto* block = new Block{segment.get(), offset, bytes, stream, nullptr, nullptr, false, true};
    blocks_.insert(block);
    recycle(block);
  }
  segments_.push_back(std::move(segment));
}

void Allocator::add_large_segment(std::uint64_t bytes, StreamState* stream) {
  std::unique_ptr<Segment> segment = obtain(round_segment(bytes));
  if (segment == nullptr) segment = obtain(bytes);  // a tight fit may still be there
  if (segment == nullptr) return;
  auto* block =
      new Block{segment.get(), 0, segment->bytes, stream, nullptr, nullptr, true, true};
  blocks_.insert(block);
  recycle(block);
  segments_.push_back(std::move(segment));
}

std::unique_ptr<Segment> Allocator::obtain(std::uint64_t bytes) {
  if (stats_.limit_bytes != 0 && stats_.reserved_bytes + bytes > stats_.limit_bytes) return nullptr;
  auto segment = std::make_unique<Segment>();
  segment->bytes = bytes;
  if (device_.uses_host_memory()) {
    segment->host = static_cast<char*>(allocate_host_memory(bytes));
    if (segment->host == nullptr) return nullptr;
  }
  if (device_.backend != nullptr) {
    const bp_backend& table = device_.table();
    const bp_status status =
        segment->host != nullptr
            ? table.buffer_wrap(device_.handle(), segment->host, bytes, &segment->buffer)
            : table.buffer_alloc(device_.handle(), bytes, &segment->buffer);
    if (status != BP_OK || segment->buffer == nullptr) {
      if (segment->host != nullptr) release_host_memory(segment->host, bytes);
      if (status == BP_OUT_OF_MEMORY) return nullptr;
      check_made(status, segment->buffer, *device_.backend, device_.name);
    }
  }
  stats_.reserved_bytes += bytes;
  ++stats_.device_allocations;
  return segment;
}

void Allocator::give_back(Segment& segment) {
  if (segment.buffer != nullptr) device_.table().buffer_free(segment.buffer);
  if (segment.host != nullptr) release_host_memory(segment.host, segment.bytes);
  stats_.reserved_bytes -= segment.bytes;
}

// Waits for the work that may still use free blocks.
void Allocator::settle(Settled& streams) {
  if (device_.backend == nullptr) return;
  streams = device_.streams.all();
  for (const auto& stream : streams) {
    const std::scoped_lock lock(stream->mutex);
    if (stream->queue != nullptr) device_.table().queue_synchronize(stream->queue);
  }
  collect_pending(true);
}

// Segments of which no block is in use go back to the device. A stream that another thread is
// taking down is not settled: its blocks come back with adopt().
void Allocator::release_unused(const Settled& settled) {
  const auto idle = [&](const StreamState* stream) {
    const auto same = [&](const auto& one) { return one.get() == stream; };
    return stream == nullptr || std::any_of(settled.begin(), settled.end(), same);
  };
  std::set<const Segment*> used;
  for (const Block* block : blocks_) {
    if (!block->free || !idle(block->stream)) used.insert(block->segment);
  }
  const auto unused = [&](const Block* block) { return !used.contains(block->segment); };
  for (auto& [stream, pool] : pools_) {
    for (auto& list : pool.small) std::erase_if(list, unused);
    std::erase_if(pool.large, unused);
  }
  std::erase_if(blocks_, [&](Block* block) {
    const bool gone = unused(block);
    if (gone) delete block;
    return gone;
  });
  std::erase_if(segments_, [&](const std::unique_ptr<Segment>& segment) {
    if (used.contains(segment.get())) return false;
    give_back(*segment);
    return true;
  });
}

void Allocator::empty_cache() {
  Settled settled;  // outlives the lock: a stream's end comes back here
  const std::scoped_lock lock(mutex_);
  settle(settled);
  release_unused(settled);
}

void Allocator::release_all() {
  const std::scoped_lock lock(mutex_);
  if (device_.backend != nullptr) {
    collect_pending(true);
  } else if (std::any_of(blocks_.begin(), blocks_.end(), [](const Block* b) { return !b->free; })) {
    return;  // host tensors stay readable after a shutdown
  }
  pools_.clear();
  for (Block* block : blocks_) delete block;
  blocks_.clear();
  for (const auto& segment : segments_) give_back(*segment);
  segments_.clear();
  stats_.allocated_bytes = 0;
  ++generation_;
}

void Allocator::report_exhaustion(std::uint64_t bytes) const {
  std::vector<std::uint64_t> held;
  for (const Block* block : blocks_) {
    if (!block->free) held.push_back(block->bytes);
  }
  std::sort(held.rbegin(), held.rend());
  std::string largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(held.size(), 5); ++i) {
    largest += (i == 0 ? "" : ", ") + readable(held[i]);
  }
  fail(ErrorCode::out_of_memory,
       "{}: no room for {}, {} are held by {} tensors and buffers (the largest: {}), {} reserved, "
       "limit {}; use smaller batches or free tensors",
       device_.name, readable(bytes), readable(stats_.allocated_bytes), held.size(),
       largest.empty() ? "none" : largest, readable(stats_.reserved_bytes),
       stats_.limit_bytes == 0 ? "none" : readable(stats_.limit_bytes));
}

}  // namespace backplane::detail
