// Bytes between the host and devices, counted.
#include "memory/transfer.hpp"

#include <cstring>

#include "device/device_state.hpp"
#include "observe/tell.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {

void upload(Storage& target, std::uint64_t offset, const void* source, std::uint64_t bytes) {
  if (bytes == 0) return;
  DeviceState& device = target.device;
  if (device.backend == nullptr) {
    std::memcpy(target.host + offset, source, bytes);
    return;
  }
  const auto& stream = current_stream(device);
  target.note_use(stream);
  {
    const std::scoped_lock lock(stream->mutex);
    check(device.table().upload(stream->open_queue(), target.at(offset), source, bytes),
          *device.backend, device.name);
  }
  device.transfers.bytes_to_device += bytes;
  ++device.transfers.uploads;
  tell_transfer({TransferEvent::Direction::to_device, Device(&device), bytes});
}

void download(const Storage& source, std::uint64_t offset, void* target, std::uint64_t bytes) {
  if (bytes == 0) return;
  DeviceState& device = source.device;
  if (device.backend == nullptr) {
    std::memcpy(target, source.host + offset, bytes);
    return;
  }
  const auto& stream = current_stream(device);
  {
    const std::scoped_lock lock(stream->mutex);
    check(device.table().download(stream->open_queue(), source.at(offset), target, bytes),
          *device.backend, device.name);
  }
  stream->synchronize();
  device.transfers.bytes_from_device += bytes;
  ++device.transfers.downloads;
  tell_transfer({TransferEvent::Direction::from_device, Device(&device), bytes});
}

void* native_handle(const Storage& storage) {
  if (storage.device.backend == nullptr) return storage.host - storage.block_offset;
  void* handle = nullptr;
  check(storage.device.table().native_handle(BP_NATIVE_BUFFER, storage.buffer, &handle),
        *storage.device.backend, storage.device.name);
  return handle;
}

}  // namespace backplane::detail
