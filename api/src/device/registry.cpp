// All devices of the process, found once at first use.
#include "device/registry.hpp"

#include <algorithm>
#include <array>

#include "check.hpp"

namespace backplane::detail {
namespace {

// Where a device stands in lists and in the choice of a default.
int place_of(const DeviceState& device) {
  if (device.kind == DeviceKind::gpu) return device.backend_name == "cuda" ? 0 : 1;
  if (device.kind == DeviceKind::other) return 2;
  if (device.backend_name == "onednn") return 3;
  return device.backend_name == "reference" ? 5 : 4;
}

}  // namespace

Registry& Registry::instance() {
  static auto* registry = new Registry;
  return *registry;
}

Registry::Registry() : loaded_(load_backends(backend_folders())), host_(nullptr, 0) {
  for (const Backend& backend : loaded_.backends) add_devices(backend);
  std::stable_sort(devices_.begin(), devices_.end(),
                   [](const auto& a, const auto& b) { return place_of(*a) < place_of(*b); });
  for (const Refusal& refusal : loaded_.refusals) absent_.push_back(refusal.absent);
  add_missing_backends();
}

void Registry::add_devices(const Backend& backend) {
  std::uint32_t count = 0;
  const bp_status counted = backend.table->device_count(&count);
  if (counted != BP_OK || count == 0) {
    std::array<char, 1024> reason{}, repair{};
    const char* failed = counted != BP_OK ? backend.table->last_error() : nullptr;
    const std::string fallback = failed != nullptr && *failed != '\0' ? failed : "it reports no device";
    const bp_status status =
        backend.table->diagnose(reason.data(), reason.size(), repair.data(), repair.size());
    reason.back() = repair.back() = '\0';
    absent_.push_back({backend.name, status == BP_OK ? ErrorCode::not_found : code_of(status),
                       reason[0] != '\0' ? reason.data() : fallback, repair.data()});
    return;
  }
  for (std::uint32_t index = 0; index < count; ++index) {
    try {
      devices_.push_back(std::make_unique<DeviceState>(&backend, index));
    } catch (const Error& error) {  // one broken device must not hide the others
      absent_.push_back({backend.name, error.code(), error.what(), ""});
    }
  }
}

// The four back ends of this project are named even where nobody built or installed them.
void Registry::add_missing_backends() {
  for (const std::string_view name : {"cuda", "opencl", "onednn", "reference"}) {
    const bool loaded = std::any_of(loaded_.backends.begin(), loaded_.backends.end(),
                                    [&](const Backend& b) { return b.name == name; });
    const bool refused = std::any_of(absent_.begin(), absent_.end(),
                                     [&](const AbsentBackend& a) { return a.backend == name; });
    if (loaded || refused) continue;
    absent_.push_back({std::string(name), ErrorCode::not_found,
                       fmt::format("libbackplane-{}.so is neither beside libbackplane nor in "
                                   "BACKPLANE_BACKEND_PATH",
                                   name),
                       fmt::format("build backplane with '{}' in BACKPLANE_BACKENDS, or add its "
                                   "folder to BACKPLANE_BACKEND_PATH",
                                   name)});
  }
}

}  // namespace backplane::detail
