// Bytes between the host and devices, counted.
#include "memory/transfer.hpp"

#include <cstring>

#include "device/device_state.hpp"
#include "observe/tell.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {
namespace {

void count_upload(DeviceState& device, std::uint64_t bytes) {
  device.transfers.bytes_to_device += bytes;
  ++device.transfers.uploads;
  tell_transfer({TransferEvent::Direction::to_device, Device(&device), bytes});
}

}  // namespace

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
  count_upload(device, bytes);
}

void upload(Storage& target, std::uint64_t offset, const Storage& source,
            std::uint64_t source_offset, std::uint64_t bytes) {
  DeviceState& device = target.device;
  const char* from = source.host + source_offset;
  if (source.pinned == nullptr || &source.pinned->device != &device || bytes == 0) {
    upload(target, offset, from, bytes);
    return;
  }
  const auto& stream = current_stream(device);
  target.note_use(stream);
  {
    const std::scoped_lock lock(stream->mutex);
    check(device.table().upload_pinned(stream->open_queue(), target.at(offset), from, bytes),
          *device.backend, device.name);
    source.pinned->mark_upload(*stream);
  }
  count_upload(device, bytes);
}

bool copy_peer(Storage& target, std::uint64_t offset, Storage& source, std::uint64_t source_offset,
               std::uint64_t bytes) {
  DeviceState &from = source.device, &to = target.device;
  if (from.backend != to.backend || to.table().copy_peer == nullptr) return false;
  if (bytes == 0) return true;
  const Stream reading(current_stream(from)), writing(current_stream(to));
  source.note_use(reading.state());
  target.note_use(writing.state());
  Event written(reading.device()), copied(writing.device());
  written.record(reading);
  writing.wait(written);
  {
    StreamState& stream = *writing.state();
    const std::scoped_lock lock(stream.mutex);
    const bp_status status = to.table().copy_peer(stream.open_queue(), source.at(source_offset),
                                                  target.at(offset), bytes);
    if (status == BP_UNSUPPORTED) return false;
    check(status, *to.backend, to.name);
  }
  // The source's memory may be reused by what its own stream does next.
  copied.record(writing);
  reading.wait(copied);
  to.transfers.bytes_from_peers += bytes;
  ++to.transfers.peer_copies;
  tell_transfer({TransferEvent::Direction::between_devices, Device(&from), bytes});
  return true;
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
