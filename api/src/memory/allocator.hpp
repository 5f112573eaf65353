// The caching allocator of one device: stream-ordered, with statistics and one limit.
//
// Memory is taken from the device in segments and handed out in blocks. Small requests come from
// slices of fixed sizes, large ones from segments that split and merge. A freed block goes back to
// the pool of the stream it was made on at once, since later work there runs later anyway; a block
// that other streams used as well waits until they have passed.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "backplane/buffer.hpp"
#include "backplane/plugin/abi.h"

namespace backplane::detail {

struct DeviceState;
struct StreamState;

struct Segment {
  bp_buffer* buffer = nullptr;
  char* host = nullptr;  // where the program may read it; null in device memory
  std::uint64_t bytes = 0;
};

struct Block {
  Segment* segment = nullptr;
  std::uint64_t offset = 0, bytes = 0;
  StreamState* stream = nullptr;                    // whose pool it belongs to
  Block *previous = nullptr, *next = nullptr;       // neighbours in a segment that splits
  bool large = false, free = false;
};

class Allocator {
 public:
  explicit Allocator(DeviceState& device) : device_(device) {}
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  // A block of at least `bytes`, for work on `stream` (null on the host).
  [[nodiscard]] Block* allocate(std::uint64_t bytes, StreamState* stream);
  // `users` are the other streams that touched it. `generation` is that of the allocation.
  void free(Block* block, std::uint64_t generation,
            std::span<const std::shared_ptr<StreamState>> users);

  void empty_cache();
  void release_all();               // at shutdown: everything, whoever holds it
  void adopt(StreamState* stream);  // a stream ends: its free blocks serve all streams

  [[nodiscard]] MemoryStats stats() const;
  void reset_peak();
  void set_limit(std::uint64_t bytes);
  // Grows with each release_all(): memory of an earlier generation is gone.
  [[nodiscard]] std::uint64_t generation() const noexcept {
    return generation_.load(std::memory_order_acquire);
  }

 private:
  struct BySize {
    bool operator()(const Block* a, const Block* b) const {
      return a->bytes != b->bytes ? a->bytes < b->bytes : a < b;
    }
  };
  struct Pool {
    std::vector<std::vector<Block*>> small;  // by size class
    std::set<Block*, BySize> large;
    std::size_t in_use = 0;  // blocks that will come back
  };
  struct Pending {
    Block* block;
    std::vector<bp_event*> events;
  };

  // Streams all of whose work is done.
  using Settled = std::vector<std::shared_ptr<StreamState>>;

  Block* take(std::uint64_t bytes, bool large, StreamState* stream);
  Block* take_from(Pool& pool, std::uint64_t bytes, bool large);
  Block* take_foreign(std::uint64_t bytes, bool large, const Settled& settled);
  Block* take_small(std::uint64_t bytes, Pool& pool);
  Block* take_large(std::uint64_t bytes, Pool& pool);
  void add_small_segment(std::uint64_t bytes, StreamState* stream);
  void add_large_segment(std::uint64_t bytes, StreamState* stream);
  void come_back(Block* block);
  void recycle(Block* block);
  void collect_pending(bool wait);
  void merge_with_next(Block* block);
  std::unique_ptr<Segment> obtain(std::uint64_t bytes);  // null: no room
  void give_back(Segment& segment);
  void settle(Settled& streams);
  void release_unused(const Settled& settled);
  [[noreturn]] void report_exhaustion(std::uint64_t bytes) const;

  DeviceState& device_;
  mutable std::mutex mutex_;
  std::map<const StreamState*, Pool> pools_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::set<Block*> blocks_;  // all, free or not: owns them
  std::vector<Pending> pending_;
  MemoryStats stats_;
  std::atomic<std::uint64_t> generation_{1};
};

}  // namespace backplane::detail
