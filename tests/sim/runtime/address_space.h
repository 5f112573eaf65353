// All memory that the card knows: device memory behind addresses that fault when the host touches
// them, and pinned host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/kernel_abi.h"
#include "runtime/footprint.h"

namespace backplane::sim {

struct Allocation {
  enum class Kind { device, variable, pinned, registered };
  Kind kind = Kind::device;
  uint64_t begin = 0;
  uint64_t bytes = 0;
  int device = 0;
  bool stream_ordered = false;  // from cudaMallocAsync
  unsigned host_flags = 0;
  bool is_host() const { return kind == Kind::pinned || kind == Kind::registered; }
  uint64_t end() const { return begin + bytes; }
};

class AddressSpace {
 public:
  // `region_bytes` is the length of each device's range of addresses. They are reused as late as
  // possible, so that stale pointers are noticed.
  explicit AddressSpace(int devices, uint64_t region_bytes = 8ull << 30);

  // Null when the range of handles is exhausted. Fills the memory with NaN.
  void* allocate(int device, uint64_t bytes, Allocation::Kind kind);
  void adopt_host(void* begin, uint64_t bytes, Allocation::Kind kind, unsigned flags);
  // The allocation that holds the address, or null.
  Allocation* find(uint64_t address);
  Allocation* find(const void* address) { return find(reinterpret_cast<uint64_t>(address)); }
  void release(const Allocation& allocation);

  // Which device's range holds the address; -1 for host addresses.
  int device_of(uint64_t address) const;
  int device_of(const void* p) const { return device_of(reinterpret_cast<uint64_t>(p)); }
  // Where the bytes of a device address really lie; host addresses are their own storage.
  unsigned char* storage(uint64_t address) const;
  MemoryView view(int device) const;
  // Kernels with race checks need a cell for every four bytes.
  void provide_race_cells();

  // What is wrong with an access of `bytes` at a device or pinned address, or "" when all is well.
  std::string problem(uint64_t address, uint64_t bytes);
  std::string describe(uint64_t address);

  // Turns the marks that a launch left on a page into ranges, and wipes them.
  void collect_page(uint64_t page, Footprint& footprint);
  uint64_t page_of(uint64_t address) const { return (address - handles_) / kPageBytes; }
  uint8_t* shadow_of(uint64_t address) const { return shadow_ + (address - handles_) / 4; }
  uint8_t* touched_flag(uint64_t page) const { return touched_ + page; }

  const std::map<uint64_t, Allocation>& allocations() const { return allocations_; }

 private:
  uint64_t find_gap(int device, uint64_t from, uint64_t bytes) const;
  void set_valid(uint64_t address, uint64_t bytes, bool valid);

  int devices_;
  uint64_t region_bytes_;
  uint64_t handles_ = 0;
  unsigned char* storage_ = nullptr;
  uint8_t* shadow_ = nullptr;
  uint8_t* touched_ = nullptr;
  RaceCell* cells_ = nullptr;
  std::vector<uint64_t> cursor_;
  std::map<uint64_t, Allocation> allocations_;
};

}  // namespace backplane::sim
