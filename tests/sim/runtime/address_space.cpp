// Reserves the ranges, hands out addresses, and keeps one shadow byte for four bytes of memory.
#include "runtime/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace backplane::sim {
namespace {

constexpr uint64_t kAlignment = 512;    // what cudaMalloc gives in practice
constexpr uint64_t kGuardBytes = 4096;  // between allocations

void* reserve(uint64_t bytes, int protection) {
  void* memory =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "[backplane-sim] cannot reserve %llu bytes of addresses\n",
                 static_cast<unsigned long long>(bytes));
    std::abort();
  }
  return memory;
}

}  // namespace

AddressSpace::AddressSpace(int devices, uint64_t region_bytes)
    : devices_(devices), region_bytes_(region_bytes), cursor_(static_cast<size_t>(devices), 0) {
  if (devices == 0) return;
  const uint64_t all = region_bytes_ * static_cast<uint64_t>(devices);
  handles_ = reinterpret_cast<uint64_t>(reserve(all, PROT_NONE));
  storage_ = static_cast<unsigned char*>(reserve(all, PROT_READ | PROT_WRITE));
  shadow_ = static_cast<uint8_t*>(reserve(all / 4, PROT_READ | PROT_WRITE));
  touched_ = static_cast<uint8_t*>(reserve(all / kPageBytes, PROT_READ | PROT_WRITE));
}

void AddressSpace::provide_race_cells() {
  if (cells_ != nullptr || devices_ == 0) return;
  const uint64_t all = region_bytes_ * static_cast<uint64_t>(devices_);
  cells_ = static_cast<RaceCell*>(reserve(all / 4 * sizeof(RaceCell), PROT_READ | PROT_WRITE));
}

int AddressSpace::device_of(uint64_t address) const {
  const uint64_t offset = address - handles_;
  if (devices_ == 0 || offset >= region_bytes_ * static_cast<uint64_t>(devices_)) return -1;
  return static_cast<int>(offset / region_bytes_);
}

unsigned char* AddressSpace::storage(uint64_t address) const {
  if (device_of(address) < 0) return reinterpret_cast<unsigned char*>(address);
  return storage_ + (address - handles_);
}

MemoryView AddressSpace::view(int device) const {
  const uint64_t offset = region_bytes_ * static_cast<uint64_t>(device);
  MemoryView view;
  view.base = handles_ + offset;
  view.bytes = region_bytes_;
  view.storage = storage_ + offset;
  view.shadow = shadow_ + offset / 4;
  view.touched = touched_ + offset / kPageBytes;
  view.cells = cells_ == nullptr ? nullptr : cells_ + offset / 4;
  return view;
}

void AddressSpace::set_valid(uint64_t address, uint64_t bytes, bool valid) {
  uint8_t* shadow = shadow_of(address);
  std::memset(shadow, valid ? 4 : 0, bytes / 4);
  if (bytes % 4 != 0) shadow[bytes / 4] = valid ? static_cast<uint8_t>(bytes % 4) : 0;
}

// First fit from `from` on, as an offset in the device's range, or region_bytes_ when full.
uint64_t AddressSpace::find_gap(int device, uint64_t from, uint64_t bytes) const {
  const uint64_t base = handles_ + region_bytes_ * static_cast<uint64_t>(device);
  uint64_t at = from;
  for (auto next = allocations_.lower_bound(base + from);; ++next) {
    const bool ends = next == allocations_.end() || next->first >= base + region_bytes_;
    const uint64_t limit = ends ? region_bytes_ : next->first - base;
    if (at + bytes + kGuardBytes <= limit) return at;
    if (ends) return region_bytes_;
    at = (next->second.end() - base + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment;
  }
}

void* AddressSpace::allocate(int device, uint64_t bytes, Allocation::Kind kind) {
  uint64_t& cursor = cursor_[static_cast<size_t>(device)];
  uint64_t at = find_gap(device, cursor, bytes);
  if (at == region_bytes_) at = find_gap(device, 0, bytes);
  if (at == region_bytes_) return nullptr;
  cursor = (at + bytes + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment;
  if (cursor > region_bytes_) cursor = 0;
  const uint64_t begin = handles_ + region_bytes_ * static_cast<uint64_t>(device) + at;
  allocations_[begin] = {kind, begin, bytes, device, false, 0};
  std::memset(storage(begin), 0xFF, bytes);
  set_valid(begin, bytes, true);
  return reinterpret_cast<void*>(begin);
}

void AddressSpace::adopt_host(void* begin, uint64_t bytes, Allocation::Kind kind, unsigned flags) {
  const auto address = reinterpret_cast<uint64_t>(begin);
  allocations_[address] = {kind, address, bytes, -1, false, flags};
}

Allocation* AddressSpace::find(uint64_t address) {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  Allocation& candidate = std::prev(after)->second;
  return address < candidate.end() ? &candidate : nullptr;
}

void AddressSpace::release(const Allocation& allocation) {
  const uint64_t begin = allocation.begin;
  if (!allocation.is_host()) {
    set_valid(begin, allocation.bytes, false);
    // Whole pages go back to the system; the shadow keeps anyone from reading what is left.
    const auto low = reinterpret_cast<uint64_t>(storage(begin));
    const uint64_t first = (low + kPageBytes - 1) / kPageBytes * kPageBytes;
    const uint64_t last = (low + allocation.bytes) / kPageBytes * kPageBytes;
    if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
  allocations_.erase(begin);
}

std::string AddressSpace::describe(uint64_t address) {
  if (address < 65536) return "null pointer";
  if (device_of(address) < 0) return "host memory that is not pinned";
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return "outside of any live allocation";
  const Allocation& before = std::prev(after)->second;
  return "outside of any live allocation, " + std::to_string(address - before.end()) +
         " bytes past the end of one of " + std::to_string(before.bytes) + " bytes";
}

std::string AddressSpace::problem(uint64_t address, uint64_t bytes) {
  const Allocation* allocation = find(address);
  if (allocation == nullptr) return describe(address);
  if (bytes <= allocation->end() - address) return {};
  return std::to_string(address + bytes - allocation->end()) +
         " bytes past the end of an allocation of " + std::to_string(allocation->bytes) + " bytes";
}

namespace {

void collect(const uint8_t* shadow, uint8_t bit, uint64_t address, std::vector<Range>& out) {
  constexpr uint32_t kWords = kPageBytes / 4;
  for (uint32_t i = 0; i < kWords;) {
    if ((shadow[i] & bit) == 0) {
      ++i;
      continue;
    }
    uint32_t end = i + 1;
    while (end < kWords && (shadow[end] & bit) != 0) ++end;
    out.push_back({address + 4ull * i, address + 4ull * end});
    i = end;
  }
}

}  // namespace

void AddressSpace::collect_page(uint64_t page, Footprint& footprint) {
  const uint64_t address = handles_ + page * kPageBytes;
  uint8_t* shadow = shadow_of(address);
  const bool uniform = std::memcmp(shadow, shadow + 1, kPageBytes / 4 - 1) == 0;
  if (uniform) {
    if ((shadow[0] & kShadowRead) != 0) footprint.read(address, kPageBytes);
    if ((shadow[0] & kShadowWritten) != 0) footprint.write(address, kPageBytes);
  } else {
    collect(shadow, kShadowRead, address, footprint.reads);
    collect(shadow, kShadowWritten, address, footprint.writes);
  }
  for (uint32_t i = 0; i < kPageBytes / 4; ++i) shadow[i] &= kShadowValid;
  touched_[page] = 0;
}

}  // namespace backplane::sim
