// Opening and closing of one device.
#include "device/device_state.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "stream/stream_state.hpp"

namespace backplane::detail {

DeviceState::DeviceState(const Backend* plugin, std::uint32_t number)
    : backend(plugin), index(number), allocator(*this), pinned(*this), plans(*this) {
  if (backend == nullptr) {
    name = backend_name = "host";
    description = "memory that the program reads and writes";
    return;
  }
  backend_name = backend->name;
  name = backend_name + ":" + std::to_string(index);
  try {
    read_info();
  } catch (...) {  // no destructor runs after this, and the device may be open
    close();
    throw;
  }
}

DeviceState::~DeviceState() {
  close();
}

bp_device* DeviceState::handle() {
  if (backend == nullptr) return nullptr;
  if (bp_device* open = handle_.load(std::memory_order_acquire)) return open;
  const std::scoped_lock lock(mutex_);
  if (bp_device* open = handle_.load(std::memory_order_acquire)) return open;
  bp_device* opened = nullptr;
  const bp_status status = table().device_open(index, &opened);
  check_made(status, opened, *backend, name);
  handle_.store(opened, std::memory_order_release);
  return opened;
}

void DeviceState::read_info() {
  bp_device_info info{};
  info.struct_size = sizeof info;
  check(table().device_info(handle(), &info), *backend, name);
  kind = info.kind == BP_KIND_CPU   ? DeviceKind::cpu
         : info.kind == BP_KIND_GPU ? DeviceKind::gpu
                                    : DeviceKind::other;
  memory_space = info.memory_space;
  compute_units = info.compute_units;
  memory_bytes = info.memory_bytes;
  const auto text = [](const auto& field) { return std::string(field, strnlen(field, sizeof field)); };
  description = text(info.name);
  driver = text(info.driver);
  unique_id = text(info.unique_id);
  // Vendors write the same bus id with small and with capital letters.
  std::ranges::transform(unique_id, unique_id.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

std::shared_ptr<StreamState> DeviceState::default_stream() {
  if (backend == nullptr) return nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (default_stream_) return default_stream_;
  }
  auto made = std::make_shared<StreamState>(*this);
  const std::scoped_lock lock(mutex_);
  if (!default_stream_) {
    default_stream_ = made;
    streams.add(made);
  }
  return default_stream_;
}

// From the users of memory to its owners: nothing may outlive what it was made from.
void DeviceState::close() {
  if (backend == nullptr) {
    allocator.release_all();
    return;
  }
  if (handle_.load() == nullptr) return;
  for (const auto& sequence : sequences.all()) sequence->close();
  for (const auto& stream : streams.all()) stream->close();
  plans.clear();
  for (const auto& plan : held_plans.all()) plan->close();
  pinned.release_unused();
  for (const auto& event : events.all()) event->close();
  allocator.release_all();
  const std::scoped_lock lock(mutex_);
  default_stream_.reset();
  table().device_close(handle_.exchange(nullptr));
}

}  // namespace backplane::detail
