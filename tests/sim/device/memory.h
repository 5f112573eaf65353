// Loads, stores and atomics of translated kernels: every address is checked before it is used.
#pragma once

#include "device/arithmetic.h"
#include "engine/kernel_abi.h"

#if !defined(BACKPLANE_SIM_CHECKED)
#define BACKPLANE_SIM_CHECKED 0
#endif

namespace backplane::sim::device {

inline constexpr bool kChecked = BACKPLANE_SIM_CHECKED != 0;

inline uint8_t shadow_bits(Access access) {
  if (access == Access::read) return kShadowRead;
  return access == Access::write ? kShadowWritten : kShadowRead | kShadowWritten;
}

// Marks what is read or written, and tells whether all of it belongs to a live allocation.
template <class T>
inline bool mark(const MemoryView& memory, u64 offset, Access access) {
  uint8_t* shadow = memory.shadow + offset / 4;
  constexpr u64 kWords = (sizeof(T) + 3) / 4;
  const u64 needed = sizeof(T) >= 4 ? 4 : offset % 4 + sizeof(T);
  const uint8_t bits = shadow_bits(access);
  for (u64 i = 0; i < kWords; ++i) {
    if ((shadow[i] & kShadowValid) < needed) return false;
    shadow[i] |= bits;
  }
  return true;
}

// The storage behind a global or generic address.
template <class T>
inline void* global(Thread& thread, u64 address, Access access, int line) {
  const Block& block = *thread.block;
  const MemoryView& memory = *block.memory;
  const u64 offset = address - memory.base;
  if (offset < memory.bytes && address % sizeof(T) == 0 && mark<T>(memory, offset, access))
      [[likely]] {
    if (!memory.touched[offset / kPageBytes]) {
      block.services->touch_page(thread, offset / kPageBytes);
    }
    if constexpr (kChecked) {
      block.services->check_global(thread, offset, sizeof(T), access, line);
    }
    return memory.storage + offset;
  }
  void* storage = block.services->resolve(thread, address, sizeof(T), access, line);
  if constexpr (kChecked) {
    const u64 shared = static_cast<u64>(static_cast<unsigned char*>(storage) - block.shared);
    if (shared < block.shared_bytes) {
      block.services->check_shared(thread, static_cast<u32>(shared), sizeof(T), access, line);
    }
  }
  return storage;
}

template <class T>
inline void* shared(Thread& thread, u64 offset, Access access, int line) {
  const Block& block = *thread.block;
  if (offset + sizeof(T) > block.shared_bytes || offset % sizeof(T) != 0) [[unlikely]] {
    return block.services->resolve(thread, kSharedWindow + offset, sizeof(T), access, line);
  }
  if constexpr (kChecked) {
    block.services->check_shared(thread, static_cast<u32>(offset), sizeof(T), access, line);
  }
  return block.shared + offset;
}

// A local array lies on the fiber's stack; the depot is the function's only one.
struct Depot {
  const unsigned char* begin;
  u64 bytes;
};
template <class T>
inline void* local(Thread& thread, Depot depot, u64 address, int line) {
  const u64 offset = address - reinterpret_cast<u64>(depot.begin);
  if (offset >= depot.bytes || sizeof(T) > depot.bytes - offset) [[unlikely]] {
    thread.block->services->fail(thread, Fault::illegal_address, "local array out of range", line);
  }
  return reinterpret_cast<void*>(address);
}

// Parameters: of the kernel, or the small buffers that pass arguments between functions.
struct Parameter {
  unsigned char* begin;
  u64 bytes;
};
template <class T>
inline void* parameter(Thread& thread, Parameter space, u64 offset, int line) {
  if (offset + sizeof(T) > space.bytes) [[unlikely]] {
    thread.block->services->fail(thread, Fault::illegal_address, "parameter out of range", line);
  }
  return space.begin + offset;
}

template <class T>
inline T fetch(const void* storage) {
  T value;
  std::memcpy(&value, storage, sizeof value);
  return value;
}
template <class T>
inline void store(void* storage, T value) {
  std::memcpy(storage, &value, sizeof value);
}

// A vector access must lie on a multiple of the whole vector's size.
inline void aligned(Thread& thread, u64 address, u32 bytes, int line) {
  if (address % bytes != 0) [[unlikely]] {
    thread.block->services->fail(thread, Fault::misaligned_address,
                                 "vector is not on a multiple of its size", line);
  }
}

// Atomics: nothing else runs while a thread does, so reading and writing suffice.
template <class T, class Operation>
inline T atomic(void* storage, Operation operation) {
  const T old = fetch<T>(storage);
  store<T>(storage, operation(old));
  return old;
}

inline u32 increment(u32 old, u32 limit) {
  return old >= limit ? 0 : old + 1;
}
inline u32 decrement(u32 old, u32 limit) {
  return old == 0 || old > limit ? limit : old - 1;
}

// cp.async: read when issued, written only when waited for, so that a missing wait shows.
class AsyncCopies {
 public:
  void issue(void* target, const void* source, u32 bytes, u32 source_bytes) {
    if (count_ == kMost) finish_oldest(1);
    Copy& copy = copies_[count_++];
    copy.target = target;
    copy.bytes = bytes;
    copy.group = groups_;
    std::memset(copy.data, 0, sizeof copy.data);  // bytes past the source are zero
    std::memcpy(copy.data, source, source_bytes);
  }
  void commit() { ++groups_; }
  // Leaves the youngest `pending` committed groups unfinished.
  void wait(u32 pending) {
    u32 done = 0;
    while (done < count_ && copies_[done].group + pending < groups_) ++done;
    finish_oldest(done);
  }
  void wait_all() { finish_oldest(count_); }

 private:
  static constexpr u32 kMost = 64;
  struct Copy {
    void* target;
    u32 bytes;
    u32 group;
    unsigned char data[16];
  };
  void finish_oldest(u32 count) {
    for (u32 i = 0; i < count; ++i)
      std::memcpy(copies_[i].target, copies_[i].data, copies_[i].bytes);
    for (u32 i = count; i < count_; ++i) copies_[i - count] = copies_[i];
    count_ -= count;
  }
  Copy copies_[kMost];
  u32 count_ = 0;
  u32 groups_ = 0;
};

struct alignas(16) Chunk16 {
  u32 words[4];
};
template <u32 bytes>
using Chunk = std::conditional_t<bytes == 16, Chunk16, std::conditional_t<bytes == 8, u64, u32>>;

template <u32 bytes>
inline void async_copy(Thread& thread, AsyncCopies& copies, u64 target, u64 source,
                       u32 source_bytes, int line) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
  void* to = shared<Chunk<bytes>>(thread, target, Access::write, line);
  const void* from =
      source_bytes == 0 ? to : global<Chunk<bytes>>(thread, source, Access::read, line);
  copies.issue(to, from, bytes, source_bytes);
}

}  // namespace backplane::sim::device
