// Copies and fills: pageable and pinned memory, rows, devices.
#include <cstring>

#include "runtime/api.h"

namespace backplane::sim {
namespace {

uint64_t address_of(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

uint64_t span(uint64_t pitch, const CopyShape& shape) {
  return shape.height == 0 || shape.width == 0 ? 0 : pitch * (shape.height - 1) + shape.width;
}

const char* name_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return "copy to device";
    case cudaMemcpyDeviceToHost:
      return "copy to host";
    case cudaMemcpyDeviceToDevice:
      return "copy on device";
    default:
      return "copy on host";
  }
}

Transfer transfer_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return Transfer::host_to_device;
    case cudaMemcpyDeviceToHost:
      return Transfer::device_to_host;
    case cudaMemcpyDeviceToDevice:
      return Transfer::device_to_device;
    default:
      return Transfer::none;
  }
}

// Checks the direction against where the pointers lie; `kind` is filled in when it is Default.
cudaError_t settle_kind(const AddressSpace& memory, const void* target, const void* source,
                        cudaMemcpyKind& kind) {
  const bool to_device = memory.device_of(target) >= 0;
  const bool from_device = memory.device_of(source) >= 0;
  const cudaMemcpyKind real =
      to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  if (kind == cudaMemcpyDefault) kind = real;
  return kind == real ? cudaSuccess : cudaErrorInvalidValue;
}

// A device range must belong to one allocation, a host range may be anything.
std::string range_problem(AddressSpace& memory, const void* pointer, uint64_t bytes) {
  if (memory.device_of(pointer) < 0) return {};
  return memory.problem(address_of(pointer), bytes);
}

bool is_pinned(AddressSpace& memory, const void* pointer) {
  return memory.find(pointer) != nullptr;
}

void copy_rows(unsigned char* target, uint64_t target_pitch, const unsigned char* source,
               uint64_t source_pitch, const CopyShape& shape) {
  for (uint64_t row = 0; row < shape.height; ++row) {
    std::memmove(target + row * target_pitch, source + row * source_pitch, shape.width);
  }
}

void mark_rows(std::vector<Range>& ranges, uint64_t begin, uint64_t pitch, const CopyShape& shape) {
  for (uint64_t row = 0; row < shape.height; ++row) {
    ranges.push_back({begin + row * pitch, begin + row * pitch + shape.width});
  }
}

struct CopyWork {
  void* target;
  const void* source;
  CopyShape shape;
  std::shared_ptr<std::vector<unsigned char>> staged;  // pageable source, taken at the call

  cudaError_t run(Machine& machine, Footprint& footprint) const {
    AddressSpace& memory = machine.memory;
    const uint64_t to_bytes = span(shape.target_pitch, shape);
    const uint64_t from_bytes = span(shape.source_pitch, shape);
    std::string problem = range_problem(memory, target, to_bytes);
    if (problem.empty() && !staged) problem = range_problem(memory, source, from_bytes);
    if (!problem.empty()) {
      say("a copy that was queued: " + problem);
      return cudaErrorIllegalAddress;
    }
    const unsigned char* from = staged ? staged->data() : memory.storage(address_of(source));
    copy_rows(memory.storage(address_of(target)), shape.target_pitch, from, shape.source_pitch,
              shape);
    mark_rows(footprint.writes, address_of(target), shape.target_pitch, shape);
    if (!staged) mark_rows(footprint.reads, address_of(source), shape.source_pitch, shape);
    return cudaSuccess;
  }
};

}  // namespace

cudaError_t wait_for(Machine& machine, CUstream_st& stream) {
  if (stream.capture) {
    stream.capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  if (const cudaError_t error = machine.legacy_conflict(stream); error != cudaSuccess) return error;
  return machine.synchronise(stream);
}

// What the programming guide promises: a pageable source is read before the call returns, a
// pageable target is written before it returns, pinned memory is touched only when the stream
// gets there.
cudaError_t copy(Machine& machine, void* target, const void* source, const CopyShape& shape,
                 cudaMemcpyKind kind, CUstream_st& stream, bool host_waits) {
  AddressSpace& memory = machine.memory;
  if (shape.width > shape.target_pitch || shape.width > shape.source_pitch) {
    if (shape.height > 1) return cudaErrorInvalidPitchValue;
  }
  if (shape.width == 0 || shape.height == 0) return cudaSuccess;
  if (target == nullptr || source == nullptr) return cudaErrorInvalidValue;
  if (const auto error = settle_kind(memory, target, source, kind); error != cudaSuccess)
    return error;
  for (const auto& [pointer, bytes] :
       {std::pair<const void*, uint64_t>{target, span(shape.target_pitch, shape)},
        {source, span(shape.source_pitch, shape)}}) {
    const std::string problem = range_problem(memory, pointer, bytes);
    if (problem.empty()) continue;
    say(std::string(name_of(kind)) + ": " + problem);
    return cudaErrorInvalidValue;
  }
  const bool from_pageable = memory.device_of(source) < 0 && !is_pinned(memory, source);
  const bool to_pageable = memory.device_of(target) < 0 && !is_pinned(memory, target);
  CopyWork work{target, source, shape, nullptr};
  if (from_pageable && !stream.capture) {
    if (host_waits) {
      if (const auto error = wait_for(machine, stream); error != cudaSuccess) return error;
    }
    const auto* bytes = static_cast<const unsigned char*>(source);
    work.staged = std::make_shared<std::vector<unsigned char>>(
        bytes, bytes + span(shape.source_pitch, shape));
  }
  Operation operation;
  operation.what = name_of(kind);
  operation.transfer = transfer_of(kind);
  operation.bytes = shape.width * shape.height;
  operation.run = [&machine, work](Footprint& footprint) { return work.run(machine, footprint); };
  CUgraphNode_st node;
  node.type = cudaGraphNodeTypeMemcpy;
  if (const auto error = machine.enqueue(stream, std::move(operation), &node);
      error != cudaSuccess) {
    return error;
  }
  const bool between_devices = kind == cudaMemcpyDeviceToDevice;
  const bool must_wait =
      (host_waits && !between_devices && !from_pageable) || (to_pageable && !stream.capture);
  return must_wait ? wait_for(machine, stream) : cudaSuccess;
}

cudaError_t fill(Machine& machine, void* target, int value, uint64_t pitch, uint64_t width,
                 uint64_t height, CUstream_st& stream) {
  const CopyShape shape{width, height, pitch, pitch};
  if (width == 0 || height == 0) return cudaSuccess;
  AddressSpace& memory = machine.memory;
  if (memory.device_of(target) < 0 && !is_pinned(memory, target)) return cudaErrorInvalidValue;
  const std::string problem = memory.problem(address_of(target), span(pitch, shape));
  if (!problem.empty()) {
    say("memset: " + problem);
    return cudaErrorInvalidValue;
  }
  Operation operation;
  operation.what = "memset";
  operation.transfer = Transfer::memset;
  operation.run = [&machine, target, value, shape](Footprint& footprint) {
    if (!machine.memory.problem(address_of(target), span(shape.target_pitch, shape)).empty()) {
      say("a memset that was queued: its memory has been freed");
      return cudaErrorIllegalAddress;
    }
    unsigned char* bytes = machine.memory.storage(address_of(target));
    for (uint64_t row = 0; row < shape.height; ++row) {
      std::memset(bytes + row * shape.target_pitch, value, shape.width);
    }
    mark_rows(footprint.writes, address_of(target), shape.target_pitch, shape);
    return cudaSuccess;
  };
  CUgraphNode_st node;
  node.type = cudaGraphNodeTypeMemset;
  return machine.enqueue(stream, std::move(operation), &node);
}

}  // namespace backplane::sim
