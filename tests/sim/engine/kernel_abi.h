// What a kernel library and the engine agree on: entries, device variables, and the services that
// translated code calls. Plain data and function pointers only, so that the two can be built apart.
#pragma once

#include <cstddef>
#include <cstdint>

namespace backplane::sim {

// Raised with every change of a struct below; a kernel library of another number is refused.
inline constexpr uint32_t kKernelAbi = 1;

// How a kernel can go wrong. The runtime turns each into the CUDA code that a card reports.
enum class Fault : int {
  none,
  illegal_address,
  misaligned_address,
  shared_out_of_range,
  divergent_barrier,
  race,
  trap,
  assertion,
  unsupported,
};

// Which kind of access an address is used for; atomics never race with each other.
enum class Access : uint8_t { read, write, atomic };

// Last writer and last reader of four bytes, kept in the check build only. An interval is the time
// between two block barriers; `mask` says which of the four bytes were meant.
struct RaceCell {
  uint32_t write_interval = 0;
  uint32_t read_interval = 0;
  uint16_t write_thread : 11 = 0;
  uint16_t write_mask : 4 = 0;
  uint16_t read_thread : 11 = 0;  // or kManyLanes + warp, or kManyThreads, after more than one
  uint16_t read_mask : 4 = 0;
  uint16_t write_warp_interval = 0;
  uint16_t read_warp_interval = 0;
};
inline constexpr uint16_t kManyLanes = 1024;
inline constexpr uint16_t kManyThreads = 0x7FF;

// Device memory as one launch sees it. Handles (what the host and kernels call addresses) and
// storage lie a constant distance apart. `shadow` holds one byte for four bytes of memory: the low
// three bits count the valid bytes, then a bit each for "this launch read it" and "wrote it".
struct MemoryView {
  uint64_t base = 0;   // first handle of the launching device
  uint64_t bytes = 0;  // length of that device's range of handles
  unsigned char* storage = nullptr;
  uint8_t* shadow = nullptr;
  uint8_t* touched = nullptr;  // one byte for each page of kPageBytes
  RaceCell* cells = nullptr;   // one for four bytes; null unless the kernel library is checked
};
inline constexpr uint32_t kPageBytes = 4096;
inline constexpr uint8_t kShadowValid = 7;
inline constexpr uint8_t kShadowRead = 8;
inline constexpr uint8_t kShadowWritten = 16;

// Generic addresses of shared memory start here: no such pointer exists on x86-64 or AArch64.
inline constexpr uint64_t kSharedWindow = 0x1000'0000'0000'0000;

struct Thread;

// What the lanes of a warp told each other; values of lanes outside `present` are all ones.
struct WarpValues {
  uint32_t present = 0;
  uint32_t value[32];
};

enum class BarrierVote : uint8_t { none, count, all, any };

// Engine functions that translated code may call. `line` is the line of the PTX (or C++) text.
struct Services {
  void* (*resolve)(Thread&, uint64_t address, uint32_t bytes, Access access, int line);
  void (*touch_page)(Thread&, uint64_t page);
  void (*check_global)(Thread&, uint64_t offset, uint32_t bytes, Access access, int line);
  void (*check_shared)(Thread&, uint32_t offset, uint32_t bytes, Access access, int line);
  uint32_t (*barrier)(Thread&, uint32_t id, uint32_t threads, BarrierVote vote, bool value,
                      int line);
  void (*exchange)(Thread&, uint32_t mask, uint32_t value, int line, WarpValues& out);
  void (*warp_fence)(Thread&, uint32_t mask, int line);
  void (*grid_fence)(Thread&);
  void (*fail)(Thread&, Fault fault, const char* what, int line);  // does not return
};

// The block that runs now; the same for all of its threads.
struct Block {
  uint32_t index[3];
  uint32_t size[3];
  uint32_t grid[3];
  uint32_t threads;
  uint32_t shared_bytes;  // static and dynamic together
  uint32_t dynamic_shared_bytes;
  uint32_t interval;         // grows at every block barrier and never repeats
  uint32_t first_interval;   // of this block
  uint32_t launch_interval;  // of this launch
  bool grid_fenced;          // some thread of the launch has fenced: other blocks may be read
  unsigned char* shared;
  const unsigned char* parameters;
  uint32_t parameter_bytes;
  const uint64_t* variables;  // addresses of the module's device variables on this device
  const MemoryView* memory;
  const Services* services;
};

struct Thread {
  uint32_t index[3];
  uint32_t linear;       // x fastest
  uint32_t shared_used;  // leg A: how far SHARED declarations have come
  Block* block;
};

struct ParameterInfo {
  uint32_t offset;
  uint32_t bytes;
};

struct KernelEntry {
  const char* name;  // mangled, as __cudaRegisterFunction gives it
  void (*call)(Thread&, const unsigned char* parameters);
  const ParameterInfo* parameters;
  uint32_t parameter_count;
  uint32_t parameter_bytes;
  uint32_t static_shared_bytes;
  uint32_t max_threads;  // 0: no launch bound was given
};

// A word of a variable's initial value that holds an address: another variable's, or a function's.
struct Relocation {
  uint32_t offset;
  int32_t variable;  // -1: the address is `function`
  uint64_t addend;
  const void* function;
};

struct VariableEntry {
  const char* name;
  const unsigned char* initial;  // null: all zero
  uint64_t bytes;
  uint32_t alignment;
  const Relocation* relocations;
  uint32_t relocation_count;
};

// One translated PTX file.
struct KernelModule {
  uint32_t abi;
  uint32_t capability;  // of the translated code, 86 for sm_86
  uint32_t checked;     // 1: built with race checks
  const char* source;
  const KernelEntry* kernels;
  uint32_t kernel_count;
  const VariableEntry* variables;
  uint32_t variable_count;
};

// A kernel library exports one function under this name; it fills `count` and returns the modules.
inline constexpr const char* kKernelModulesSymbol = "backplane_sim_kernel_modules";
using KernelModulesFunction = const KernelModule* const* (*)(uint32_t* count);

}  // namespace backplane::sim
