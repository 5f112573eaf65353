// Devices at run time: which are there, which are not and why, and which one is meant by default.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/error.hpp"

namespace backplane {

namespace detail {
struct DeviceState;
}

enum class DeviceKind { host, cpu, gpu, other };

// What a device measures of itself. NaN: it doesn't say.
struct DeviceMonitor {
  double utilization;   // percent of the last sampling period in which a kernel ran
  double temperature;   // degrees Celsius
  double power;         // watts
  double clock;         // MHz, of the processors
  double memory_clock;  // MHz
};

// A handle on one device, cheap to copy; devices live until the process ends.
class Device {
 public:
  Device();               // the default device, see default_device()
  static Device host();   // holds tensors (create, view, print, copy) and computes nothing

  [[nodiscard]] const std::string& name() const noexcept;         // "cuda:0"
  [[nodiscard]] const std::string& backend() const noexcept;      // "cuda"
  [[nodiscard]] std::uint32_t index() const noexcept;
  [[nodiscard]] DeviceKind kind() const noexcept;
  [[nodiscard]] bool is_host() const noexcept { return kind() == DeviceKind::host; }
  [[nodiscard]] const std::string& description() const noexcept;  // the vendor's name of it
  [[nodiscard]] const std::string& driver() const noexcept;       // driver or library version
  [[nodiscard]] const std::string& unique_id() const noexcept;    // PCI bus id where known
  [[nodiscard]] std::uint32_t compute_units() const noexcept;
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;      // 0: unknown

  // Its state at this moment; nothing from a back end that can't look.
  [[nodiscard]] std::optional<DeviceMonitor> monitor() const;

  // Waits for all streams of the device and reports faults that kernels left behind.
  void synchronize() const;
  // Hands a setting to the back end; Error(not_found) names it when unknown.
  void set_option(const std::string& key, const std::string& value) const;

  friend bool operator==(Device, Device) noexcept = default;

  explicit Device(detail::DeviceState* state) noexcept : state_(state) {}
  [[nodiscard]] detail::DeviceState& state() const noexcept { return *state_; }

 private:
  detail::DeviceState* state_;
};

// A back end without a device, or a library that was refused.
struct AbsentBackend {
  std::string backend;  // its name, or the file's when it has none
  ErrorCode code;
  std::string reason, repair;
};

// Every device of every back end found in BACKPLANE_BACKEND_PATH and beside the library: GPUs
// before others, `onednn` before other CPUs, `reference` last.
[[nodiscard]] std::vector<Device> devices();
[[nodiscard]] std::vector<AbsentBackend> absent_backends();

// "cuda:1", "cuda" (its first), "cpu" (onednn:0, else reference:0), "gpu:0" (GPUs counted over all
// back ends, a card that two of them see counted once), "host". Error(not_found) lists what is
// there and says why the wanted back end has nothing.
[[nodiscard]] Device device(std::string_view name);
[[nodiscard]] Device try_gpu(std::uint32_t index = 0);  // that GPU, else cpu

// BACKPLANE_DEVICE, else "cpu"; DeviceGuard and set_default_device change it (per thread, and for
// the whole process).
[[nodiscard]] Device default_device();
void set_default_device(Device device);

class DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  detail::DeviceState* previous_;
};

// How many host threads one operation may use. Default: one for each physical core within the
// process's affinity and cgroup, or BACKPLANE_THREADS.
[[nodiscard]] std::uint32_t threads();
void set_threads(std::uint32_t count);

// standard: float32 without TF32, any algorithm within its published error bound. strict: direct
// or GEMM sums, IEEE special values exact. Per thread; BACKPLANE_NUMERICS sets the first value.
enum class Numerics { standard, strict };
[[nodiscard]] Numerics numerics();
[[nodiscard]] std::string_view to_string(Numerics level) noexcept;

class NumericsGuard {
 public:
  explicit NumericsGuard(Numerics level);
  ~NumericsGuard();
  NumericsGuard(const NumericsGuard&) = delete;
  NumericsGuard& operator=(const NumericsGuard&) = delete;

 private:
  Numerics previous_;
};

// Waits for all devices and releases caches, streams and contexts. Idempotent; tensors on devices
// are invalid afterwards, devices may be used again. Plug-ins stay loaded.
void shutdown();

}  // namespace backplane
