// Default device, thread limit and numerics level.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "backplane/device.hpp"
#include "check.hpp"

namespace backplane {
namespace {

thread_local detail::DeviceState* guarded_device = nullptr;
std::atomic<detail::DeviceState*> process_device{nullptr};

// Distinct physical cores among the CPUs that this process may run on.
std::uint32_t physical_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    std::ifstream siblings("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                           "/topology/thread_siblings_list");
    std::string group;
    cores.insert(std::getline(siblings, group) ? group : std::to_string(cpu));
  }
  return cores.empty() ? 1 : static_cast<std::uint32_t>(cores.size());
}

// The quota of a version 2 control group, rounded up; 0: none.
std::uint32_t group_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
  return static_cast<std::uint32_t>((std::strtod(quota.c_str(), nullptr) + period - 1) / period);
}

std::uint32_t parse_threads(const char* text) {
  std::uint32_t count = 0;
  const char* end = text + std::char_traits<char>::length(text);
  const auto [stop, error] = std::from_chars(text, end, count);
  if (error != std::errc() || stop != end || count == 0) {
    detail::reject("BACKPLANE_THREADS: expects a whole number from 1 on, is '{}'", text);
  }
  return count;
}

std::uint32_t initial_threads() {
  if (const char* asked = std::getenv("BACKPLANE_THREADS")) return parse_threads(asked);
  const std::uint32_t cores = physical_cores(), quota = group_quota();
  return quota == 0 ? cores : std::min(cores, quota);
}

std::atomic<std::uint32_t>& thread_limit() {
  static std::atomic<std::uint32_t> limit{initial_threads()};
  return limit;
}

Numerics initial_numerics() {
  const char* asked = std::getenv("BACKPLANE_NUMERICS");
  if (asked == nullptr || std::string_view(asked) == "standard") return Numerics::standard;
  if (std::string_view(asked) == "strict") return Numerics::strict;
  detail::reject("BACKPLANE_NUMERICS: expects 'standard' or 'strict', is '{}'", asked);
}

Numerics& level() {
  thread_local Numerics current = initial_numerics();
  return current;
}

}  // namespace

Device::Device() : Device(default_device()) {}

namespace {

Device first_device() {
  const char* asked = std::getenv("BACKPLANE_DEVICE");
  if (asked == nullptr) return device("cpu");
  try {
    return device(asked);
  } catch (const Error& error) {
    detail::fail(error.code(), "BACKPLANE_DEVICE: {}", error.what());
  }
}

}  // namespace

Device default_device() {
  if (guarded_device != nullptr) return Device(guarded_device);
  if (detail::DeviceState* chosen = process_device.load()) return Device(chosen);
  const Device found = first_device();
  detail::DeviceState* none = nullptr;
  process_device.compare_exchange_strong(none, &found.state());
  return Device(process_device.load());
}

void set_default_device(Device device) { process_device = &device.state(); }

DeviceGuard::DeviceGuard(Device device)
    : previous_(std::exchange(guarded_device, &device.state())) {}
DeviceGuard::~DeviceGuard() { guarded_device = previous_; }

std::uint32_t threads() { return thread_limit().load(std::memory_order_relaxed); }

void set_threads(std::uint32_t count) {
  if (count == 0) detail::reject("set_threads: expects at least one thread");
  thread_limit() = count;
}

Numerics numerics() { return level(); }

std::string_view to_string(Numerics level) noexcept {
  return level == Numerics::strict ? "strict" : "standard";
}

NumericsGuard::NumericsGuard(Numerics wanted) : previous_(std::exchange(level(), wanted)) {}
NumericsGuard::~NumericsGuard() { level() = previous_; }

}  // namespace backplane
