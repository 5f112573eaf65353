// The BACKPLANE_SIM_* variables, read once when the first CUDA function is called.
#pragma once

#include <cstdint>
#include <string>

namespace backplane::sim {

enum class StreamOrder { eager, lazy, random };

struct Settings {
  int devices = 1;                        // BACKPLANE_SIM_DEVICES, 0 to 4
  uint64_t memory_bytes = 1ull << 30;     // BACKPLANE_SIM_MEMORY, of each device
  StreamOrder order = StreamOrder::lazy;  // BACKPLANE_SIM_ORDER
  uint32_t seed = 0;                      // of the random order; also permutes threads
  bool strict = false;                    // BACKPLANE_SIM_STRICT: problems end in status 99
  bool statistics = false;                // BACKPLANE_SIM_STATISTICS: print them at exit
  uint64_t fail_allocation = 0;           // BACKPLANE_SIM_FAIL_ALLOC
  int lose_device = -1;                   // BACKPLANE_SIM_LOSE_DEVICE=index:call
  uint64_t lose_at_call = 0;
  uint32_t capability = 86;  // BACKPLANE_SIM_CAPABILITY
  int driver_version = 0;    // BACKPLANE_SIM_DRIVER; the runtime's own by default
  std::string kernels;       // BACKPLANE_SIM_KERNELS: libraries, separated by ':'
};

inline constexpr int kMostDevices = 4;

// A value that makes no sense ends the program with status 98: a typo must not pass for a test.
Settings read_settings();

}  // namespace backplane::sim
