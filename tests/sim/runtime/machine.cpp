// Construction, allocation, counters, and the report at exit.
#include "runtime/machine.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace backplane::sim {

int& current_device() {
  thread_local int device = 0;
  return device;
}

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t record(cudaError_t code) {
  if (code != cudaSuccess) last_error() = code;
  return code;
}

void say(const std::string& message) {
  std::fprintf(stderr, "[backplane-sim] %s\n", message.c_str());
}

Machine& Machine::get() {
  static Machine* machine = [] {
    auto* made = new Machine;
    std::atexit([] { get().report_at_exit(); });
    return made;
  }();
  return *machine;
}

Machine::Machine() : settings(read_settings()), memory(settings.devices) {
  devices.resize(static_cast<size_t>(settings.devices));
  fail_allocation_in = settings.fail_allocation;
  random_state_ = settings.seed + 1;
  runner.set_order_seed(settings.seed);
  for (int i = 0; i < settings.devices; ++i) {
    Device& device = devices[static_cast<size_t>(i)];
    device.legacy = create_stream(i, true, 0, 0);
    if (i == settings.lose_device) device.lost_at_call = settings.lose_at_call;
  }
}

cudaError_t check_device(Machine& machine) {
  if (machine.settings.driver_version < CUDART_VERSION / 1000 * 1000) {
    return cudaErrorInsufficientDriver;
  }
  const auto index = static_cast<size_t>(current_device());
  if (index >= machine.devices.size()) return cudaErrorNoDevice;
  Device& device = machine.devices[index];
  if (++device.calls == device.lost_at_call) {
    machine.fault(current_device(), cudaErrorECCUncorrectable, "device is lost, as was asked for");
  }
  return device.sticky;
}

void Machine::fault(int device, cudaError_t code, const std::string& message) {
  say(message + "; device " + std::to_string(device) + " now answers " + cudaGetErrorName(code));
  devices[static_cast<size_t>(device)].sticky = code;
}

void Machine::report_race(const std::string& message) {
  if (statistics.races++ < 5) say(message);
}

double Machine::device_milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const double milliseconds = std::chrono::duration<double, std::milli>(now).count();
  last_time_ = std::max(last_time_ + 0.0005, milliseconds);  // a card's resolution is 0.5 us
  return last_time_;
}

bool Machine::allocation_fails() {
  ++statistics.allocation_attempts;
  return fail_allocation_in > 0 && --fail_allocation_in == 0;
}

cudaError_t Machine::allocate(int device, uint64_t bytes, void** out) {
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  Device& owner = devices[static_cast<size_t>(device)];
  if (allocation_fails() || bytes > settings.memory_bytes - owner.used_bytes) {
    return cudaErrorMemoryAllocation;
  }
  *out = memory.allocate(device, bytes, Allocation::Kind::device);
  if (*out == nullptr) return cudaErrorMemoryAllocation;
  owner.used_bytes += bytes;
  owner.peak_bytes = std::max(owner.peak_bytes, owner.used_bytes);
  return cudaSuccess;
}

void Machine::release(const Allocation& allocation) {
  if (allocation.kind == Allocation::Kind::device) {
    devices[static_cast<size_t>(allocation.device)].used_bytes -= allocation.bytes;
  }
  memory.release(allocation);
}

void Machine::count(Transfer transfer, uint64_t bytes) {
  switch (transfer) {
    case Transfer::none:
      break;
    case Transfer::launch:
      ++statistics.launches;
      break;
    case Transfer::graph:
      ++statistics.graph_launches;
      break;
    case Transfer::memset:
      ++statistics.memsets;
      break;
    case Transfer::host_to_device:
      ++statistics.host_to_device;
      statistics.host_to_device_bytes += bytes;
      break;
    case Transfer::device_to_host:
      ++statistics.device_to_host;
      statistics.device_to_host_bytes += bytes;
      break;
    case Transfer::device_to_device:
      ++statistics.device_to_device;
      statistics.device_to_device_bytes += bytes;
      break;
  }
}

backplane_sim_statistics Machine::current_statistics() {
  backplane_sim_statistics now = statistics;
  for (const auto& [begin, allocation] : memory.allocations()) {
    if (allocation.kind == Allocation::Kind::variable) continue;  // freed with the context
    ++now.live_allocations;
    now.live_bytes += allocation.bytes;
  }
  for (const Device& device : devices) now.peak_bytes = std::max(now.peak_bytes, device.peak_bytes);
  const auto own_streams = std::count_if(streams.begin(), streams.end(), [&](const auto& stream) {
    const bool given = std::any_of(devices.begin(), devices.end(), [&](const Device& device) {
      return device.legacy == stream.get() ||
             std::any_of(device.per_thread.begin(), device.per_thread.end(),
                         [&](const auto& each) { return each.second == stream.get(); });
    });
    return stream->alive && !given;
  });
  now.live_objects = static_cast<uint64_t>(own_streams) + events.size() + graphs.size() +
                     graph_execs.size() + static_cast<uint64_t>(library_handles);
  return now;
}

// Runs when the process ends. Exit handlers and destructors that come later may still call us.
void Machine::report_at_exit() {
  const std::lock_guard<std::recursive_mutex> guard(lock);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const uint64_t waiting = streams[i]->queue.size();
    if (waiting == 0) continue;
    say(std::to_string(waiting) + " operations on stream " + std::to_string(streams[i]->id) +
        " were never waited for; the first is '" + streams[i]->queue.front().what + "'");
    run_until(*streams[i], streams[i]->enqueued);
  }
  const backplane_sim_statistics now = current_statistics();
  // After a fault nothing can be freed any more.
  const bool faulted = std::any_of(devices.begin(), devices.end(), [](const Device& device) {
    return device.sticky != cudaSuccess;
  });
  const bool leaks = !faulted && (now.live_allocations > 0 || now.live_objects > 0);
  if (leaks) {
    say("LEAK: " + std::to_string(now.live_allocations) + " allocations of " +
        std::to_string(now.live_bytes) + " bytes, " + std::to_string(now.live_objects) +
        " streams, events, graphs or handles");
  }
  if (now.races > 0) say(std::to_string(now.races) + " races");
  if (settings.statistics) {
    say("launches " + std::to_string(now.launches) + ", to device " +
        std::to_string(now.host_to_device) + " (" + std::to_string(now.host_to_device_bytes) +
        " bytes), to host " + std::to_string(now.device_to_host) + " (" +
        std::to_string(now.device_to_host_bytes) + " bytes), peak " +
        std::to_string(now.peak_bytes) + " bytes");
  }
  if (settings.strict && (leaks || now.races > 0)) {
    std::fflush(nullptr);
    _exit(99);
  }
}

}  // namespace backplane::sim

extern "C" void backplane_sim_statistics_now(backplane_sim_statistics* out) {
  auto& machine = backplane::sim::Machine::get();
  const std::lock_guard<std::recursive_mutex> guard(machine.lock);
  *out = machine.current_statistics();
}

extern "C" void backplane_sim_reset_statistics() {
  auto& machine = backplane::sim::Machine::get();
  const std::lock_guard<std::recursive_mutex> guard(machine.lock);
  const uint64_t races = machine.statistics.races;
  machine.statistics = {};
  machine.statistics.races = races;
}

extern "C" void backplane_sim_fail_allocation(uint64_t n) {
  auto& machine = backplane::sim::Machine::get();
  const std::lock_guard<std::recursive_mutex> guard(machine.lock);
  machine.fail_allocation_in = n;
}

extern "C" void backplane_sim_lose_device(int device, uint64_t n) {
  auto& machine = backplane::sim::Machine::get();
  const std::lock_guard<std::recursive_mutex> guard(machine.lock);
  auto& target = machine.devices.at(static_cast<size_t>(device));
  target.lost_at_call = target.calls + n;
}
