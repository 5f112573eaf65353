// Device handles and the choice of a device by name.
#include "backplane/device.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "check.hpp"
#include "device/registry.hpp"
#include "stream/stream_state.hpp"

namespace backplane {

using detail::DeviceState;
using detail::fail;
using detail::Registry;

namespace {

std::string available() {
  std::string names;
  for (const auto& device : Registry::instance().devices()) {
    names += (names.empty() ? "" : ", ") + device->name;
  }
  return names.empty() ? "none" : names;
}

// Why the back end that was asked for has nothing to offer; empty if that isn't known.
std::string reason_for(std::string_view backend) {
  for (const AbsentBackend& absent : Registry::instance().absent()) {
    if (absent.backend != backend) continue;
    return fmt::format(". {}: {}{}{}", absent.backend, absent.reason,
                       absent.repair.empty() ? "" : "; ", absent.repair);
  }
  return "";
}

struct Name {
  std::string backend;
  std::optional<std::uint32_t> index;
};

Name parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  Name name{std::string(text.substr(0, colon)), {}};
  if (colon == std::string_view::npos) return name;
  const std::string_view digits = text.substr(colon + 1);
  std::uint32_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    detail::reject("device: '{}' isn't of the form backend:index, for example onednn:0", text);
  }
  name.index = index;
  return name;
}

DeviceState* find(std::string_view backend, std::uint32_t index) {
  for (const auto& device : Registry::instance().devices()) {
    if (device->backend_name == backend && device->index == index) return device.get();
  }
  return nullptr;
}

// GPUs over all back ends; a card that two back ends see counts once, for the first of them.
std::vector<DeviceState*> gpus() {
  std::vector<DeviceState*> found;
  for (const auto& device : Registry::instance().devices()) {
    if (device->kind != DeviceKind::gpu) continue;
    const auto same_card = [&](const DeviceState* other) {
      return !device->unique_id.empty() && other->unique_id == device->unique_id;
    };
    if (std::none_of(found.begin(), found.end(), same_card)) found.push_back(device.get());
  }
  return found;
}

DeviceState& cpu() {
  for (const char* name : {"onednn", "reference"}) {
    if (DeviceState* device = find(name, 0)) return *device;
  }
  fail(ErrorCode::not_found, "no device 'cpu'; available: {}{}{}", available(),
       reason_for("onednn"), reason_for("reference"));
}

}  // namespace

Device Device::host() { return Device(&Registry::instance().host()); }

const std::string& Device::name() const noexcept { return state_->name; }
const std::string& Device::backend() const noexcept { return state_->backend_name; }
std::uint32_t Device::index() const noexcept { return state_->index; }
DeviceKind Device::kind() const noexcept { return state_->kind; }
const std::string& Device::description() const noexcept { return state_->description; }
const std::string& Device::driver() const noexcept { return state_->driver; }
const std::string& Device::unique_id() const noexcept { return state_->unique_id; }
std::uint32_t Device::compute_units() const noexcept { return state_->compute_units; }
std::uint64_t Device::memory_bytes() const noexcept { return state_->memory_bytes; }

std::optional<DeviceMonitor> Device::monitor() const {
  if (is_host() || state_->table().device_monitor == nullptr) return std::nullopt;
  bp_monitor read{};
  read.struct_size = sizeof read;
  const bp_status status = state_->table().device_monitor(state_->handle(), &read);
  if (status == BP_UNSUPPORTED) return std::nullopt;  // as without the vendor's library for it
  detail::check(status, *state_->backend, name());
  return DeviceMonitor{read.utilization, read.temperature, read.power, read.clock,
                       read.memory_clock};
}

void Device::synchronize() const {
  for (const auto& stream : state_->streams.all()) Stream(stream).synchronize();
}

void Device::set_option(const std::string& key, const std::string& value) const {
  if (is_host()) fail(ErrorCode::not_found, "host: no option '{}'", key);
  detail::check(state_->table().set_option(state_->handle(), key.c_str(), value.c_str()),
                *state_->backend, name());
}

std::vector<Device> devices() {
  std::vector<Device> all;
  for (const auto& device : Registry::instance().devices()) all.emplace_back(device.get());
  return all;
}

std::vector<AbsentBackend> absent_backends() { return Registry::instance().absent(); }

Device device(std::string_view text) {
  if (text == "host") return Device::host();
  const Name name = parse(text);
  const std::uint32_t index = name.index.value_or(0);
  if (name.backend == "cpu" && index == 0) return Device(&cpu());
  if (name.backend == "gpu") {
    const auto found = gpus();
    if (index < found.size()) return Device(found[index]);
    fail(ErrorCode::not_found, "no device '{}': {} GPUs found; available: {}{}{}", text,
         found.size(), available(), reason_for("cuda"), reason_for("opencl"));
  }
  if (DeviceState* device = find(name.backend, index)) return Device(device);
  fail(ErrorCode::not_found, "no device '{}'; available: {}{}", text, available(),
       reason_for(name.backend));
}

Device try_gpu(std::uint32_t index) {
  const auto found = gpus();
  return index < found.size() ? Device(found[index]) : device("cpu");
}

void shutdown() {
  for (const auto& device : Registry::instance().devices()) device->close();
  Registry::instance().host().close();
}

}  // namespace backplane
