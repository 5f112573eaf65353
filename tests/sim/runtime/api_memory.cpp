// cudaMalloc and its kin: device, stream-ordered and pinned memory, and questions about pointers.
#include <cstdlib>

#include "runtime/api.h"

using namespace backplane::sim;

namespace {

// cudaFree waits for the device, so that no work in flight can use the memory.
cudaError_t free_device_memory(Machine& machine, void* pointer) {
  if (const auto error = machine.forbid_while_capturing(cudaErrorStreamCaptureUnsupported);
      error != cudaSuccess) {
    return error;
  }
  if (pointer == nullptr) return cudaSuccess;
  Allocation* allocation = machine.memory.find(pointer);
  if (allocation == nullptr || allocation->kind != Allocation::Kind::device ||
      allocation->begin != reinterpret_cast<uint64_t>(pointer)) {
    say("cudaFree of a pointer that no allocation gave, or twice");
    return cudaErrorInvalidValue;
  }
  const cudaError_t error = machine.synchronise_device(allocation->device);
  allocation = machine.memory.find(pointer);  // a queued cudaFreeAsync may have come first
  if (allocation == nullptr) return cudaErrorInvalidValue;
  machine.release(*allocation);
  return error;
}

cudaError_t allocate_pinned(Machine& machine, void** out, size_t bytes, unsigned flags) {
  *out = nullptr;
  if (const auto error = machine.forbid_while_capturing(cudaErrorStreamCaptureUnsupported);
      error != cudaSuccess) {
    return error;
  }
  if (bytes == 0) return cudaSuccess;
  if (machine.allocation_fails()) return cudaErrorMemoryAllocation;
  const size_t rounded = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  *out = std::aligned_alloc(kPageBytes, rounded);
  if (*out == nullptr) return cudaErrorMemoryAllocation;
  machine.memory.adopt_host(*out, bytes, Allocation::Kind::pinned, flags);
  return cudaSuccess;
}

// Finds the host allocation that begins at the pointer.
Allocation* host_allocation(Machine& machine, const void* pointer, Allocation::Kind kind) {
  Allocation* allocation = machine.memory.find(pointer);
  const bool fits = allocation != nullptr && allocation->kind == kind &&
                    allocation->begin == reinterpret_cast<uint64_t>(pointer);
  return fits ? allocation : nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** out, size_t bytes) {
  return device_call([&](Machine& machine) {
    if (out == nullptr) return cudaErrorInvalidValue;
    const auto error = machine.forbid_while_capturing(cudaErrorStreamCaptureUnsupported);
    return error != cudaSuccess ? error : machine.allocate(current_device(), bytes, out);
  });
}

cudaError_t cudaFree(void* pointer) {
  return device_call([&](Machine& machine) { return free_device_memory(machine, pointer); });
}

// The memory may be used by other streams only after this stream has come so far: the allocation
// counts as a write, so that a missing wait is found.
cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t handle) {
  return device_call([&](Machine& machine) {
    CUstream_st* stream = machine.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture) return cudaErrorStreamCaptureUnsupported;  // graph memory: not simulated
    if (const auto error = machine.allocate(stream->device, bytes, out); error != cudaSuccess) {
      return error;
    }
    if (*out == nullptr) return cudaSuccess;
    machine.memory.find(*out)->stream_ordered = true;
    const auto begin = reinterpret_cast<uint64_t>(*out);
    Operation operation;
    operation.what = "cudaMallocAsync";
    operation.run = [begin, bytes](Footprint& footprint) {
      footprint.write(begin, bytes);
      return cudaSuccess;
    };
    return machine.enqueue(*stream, std::move(operation));
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return device_call([&](Machine& machine) {
    CUstream_st* stream = machine.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture) return cudaErrorStreamCaptureUnsupported;
    if (pointer == nullptr) return cudaSuccess;
    Allocation* allocation = machine.memory.find(pointer);
    if (allocation == nullptr || allocation->begin != reinterpret_cast<uint64_t>(pointer)) {
      return cudaErrorInvalidValue;
    }
    Operation operation;
    operation.what = "cudaFreeAsync";
    operation.run = [&machine, pointer](Footprint& footprint) {
      Allocation* now = machine.memory.find(pointer);
      if (now == nullptr) return cudaErrorIllegalAddress;
      footprint.write(now->begin, now->bytes);
      machine.release(*now);
      return cudaSuccess;
    };
    return machine.enqueue(*stream, std::move(operation));
  });
}

cudaError_t cudaMallocHost(void** out, size_t bytes) {
  return device_call([&](Machine& machine) { return allocate_pinned(machine, out, bytes, 0); });
}

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned flags) {
  return device_call([&](Machine& machine) { return allocate_pinned(machine, out, bytes, flags); });
}

cudaError_t cudaFreeHost(void* pointer) {
  return device_call([&](Machine& machine) {
    if (pointer == nullptr) return cudaSuccess;
    const Allocation* allocation = host_allocation(machine, pointer, Allocation::Kind::pinned);
    if (allocation == nullptr) return cudaErrorInvalidValue;
    // Work in flight may still use it: like the real call, wait for all devices.
    for (size_t i = 0; i < machine.devices.size(); ++i) {
      machine.synchronise_device(static_cast<int>(i));
    }
    machine.release(*allocation);
    std::free(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return device_call([&](Machine& machine) {
    if (pointer == nullptr || bytes == 0 || machine.memory.device_of(pointer) >= 0) {
      return cudaErrorInvalidValue;
    }
    const auto begin = reinterpret_cast<uint64_t>(pointer);
    if (machine.memory.find(begin) != nullptr ||
        machine.memory.find(begin + bytes - 1) != nullptr) {
      return cudaErrorHostMemoryAlreadyRegistered;
    }
    machine.memory.adopt_host(pointer, bytes, Allocation::Kind::registered, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return device_call([&](Machine& machine) {
    const Allocation* allocation = host_allocation(machine, pointer, Allocation::Kind::registered);
    if (allocation == nullptr) return cudaErrorHostMemoryNotRegistered;
    machine.release(*allocation);
    return cudaSuccess;
  });
}

// With unified addressing a pinned pointer is its own device pointer.
cudaError_t cudaHostGetDevicePointer(void** out, void* pointer, unsigned flags) {
  return device_call([&](Machine& machine) {
    const Allocation* allocation = machine.memory.find(pointer);
    if (flags != 0 || allocation == nullptr || !allocation->is_host()) return cudaErrorInvalidValue;
    *out = pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return device_call([&](Machine& machine) {
    const Allocation* allocation = machine.memory.find(pointer);
    if (allocation == nullptr || !allocation->is_host()) return cudaErrorInvalidValue;
    *flags = allocation->host_flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return device_call([&](Machine& machine) {
    *total = machine.settings.memory_bytes;
    *free = *total - machine.devices[static_cast<size_t>(current_device())].used_bytes;
    return cudaSuccess;
  });
}

// Refused: device memory that the host may touch would hide mistakes here.
cudaError_t cudaMallocManaged(void**, size_t, unsigned) {
  return device_call([](Machine&) { return cudaErrorNotSupported; });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* pointer) {
  return device_call([&](Machine& machine) {
    *out = {};
    const Allocation* allocation = machine.memory.find(pointer);
    if (allocation == nullptr) {
      if (machine.memory.device_of(pointer) >= 0) return cudaErrorInvalidValue;
      out->type = cudaMemoryTypeUnregistered;
      out->device = cudaInvalidDeviceId;
      return cudaSuccess;
    }
    void* address = const_cast<void*>(pointer);
    out->type = allocation->is_host() ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    out->device = allocation->is_host() ? current_device() : allocation->device;
    out->devicePointer = address;
    out->hostPointer = allocation->is_host() ? address : nullptr;
    return cudaSuccess;
  });
}

}  // extern "C"
