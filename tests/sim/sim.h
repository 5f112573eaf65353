// What a test may ask the simulated card beyond the CUDA API. Include it in tests only: the
// functions are looked up in the loaded libcudart, so that a test also links and runs where the
// real one is chosen, and then finds none.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <optional>
#include <string>

extern "C" {

// Counted since the program began, or since the last backplane_sim_reset_statistics. Copies count
// when they are enqueued, those of a graph at each of its launches.
struct backplane_sim_statistics {
  uint64_t launches;
  uint64_t graph_launches;
  uint64_t host_to_device;
  uint64_t host_to_device_bytes;
  uint64_t device_to_host;
  uint64_t device_to_host_bytes;
  uint64_t device_to_device;
  uint64_t device_to_device_bytes;
  uint64_t memsets;
  uint64_t synchronisations;     // calls that make the host wait
  uint64_t allocation_attempts;  // device and pinned memory, and cuBLAS handles
  uint64_t live_allocations;     // not reset
  uint64_t live_bytes;           // not reset
  uint64_t peak_bytes;           // of one device, not reset
  uint64_t live_objects;         // streams, events, graphs and cuBLAS handles; not reset
  uint64_t races;                // not reset
};

}  // extern "C"

namespace backplane::sim {

// A function of the simulated runtime, or null when the real one is loaded (or none).
inline void* simulator_function(const char* name) {
  for (int major = 11; major < 30; ++major) {
    const std::string library = "libcudart.so." + std::to_string(major);
    void* handle = dlopen(library.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) continue;
    void* function = dlsym(handle, name);
    dlclose(handle);
    return function;
  }
  return nullptr;
}

inline bool present() {
  return simulator_function("backplane_sim_statistics_now") != nullptr;
}

inline std::optional<backplane_sim_statistics> statistics() {
  void* function = simulator_function("backplane_sim_statistics_now");
  if (function == nullptr) return std::nullopt;
  backplane_sim_statistics result{};
  reinterpret_cast<void (*)(backplane_sim_statistics*)>(function)(&result);
  return result;
}

// False when there is no simulator.
inline bool reset_statistics() {
  void* function = simulator_function("backplane_sim_reset_statistics");
  if (function != nullptr) reinterpret_cast<void (*)()>(function)();
  return function != nullptr;
}

// Lets the n-th allocation from now fail, 1 being the next; 0 lets all succeed.
inline bool fail_allocation(uint64_t n) {
  void* function = simulator_function("backplane_sim_fail_allocation");
  if (function != nullptr) reinterpret_cast<void (*)(uint64_t)>(function)(n);
  return function != nullptr;
}

// The device fails from the n-th call on it from now, as when a card falls off the bus.
inline bool lose_device(int device, uint64_t n) {
  void* function = simulator_function("backplane_sim_lose_device");
  if (function != nullptr) reinterpret_cast<void (*)(int, uint64_t)>(function)(device, n);
  return function != nullptr;
}

}  // namespace backplane::sim
