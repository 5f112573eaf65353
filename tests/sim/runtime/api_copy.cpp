// cudaMemcpy, cudaMemset and their many forms.
#include "runtime/api.h"

using namespace backplane::sim;

namespace {

cudaError_t copy_on(void* target, const void* source, const CopyShape& shape, cudaMemcpyKind kind,
                    cudaStream_t handle, bool host_waits) {
  return device_call([&](Machine& machine) {
    CUstream_st* stream = machine.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
      return cudaErrorInvalidMemcpyDirection;
    }
    return copy(machine, target, source, shape, kind, *stream, host_waits);
  });
}

CopyShape one_row(size_t bytes) {
  return {bytes, 1, bytes, bytes};
}

cudaError_t fill_on(void* target, int value, size_t pitch, size_t width, size_t height,
                    cudaStream_t handle) {
  return device_call([&](Machine& machine) {
    CUstream_st* stream = machine.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return fill(machine, target, value, pitch, width, height, *stream);
  });
}

cudaError_t copy_peer(void* target, int target_device, const void* source, int source_device,
                      size_t bytes, cudaStream_t handle) {
  return device_call([&](Machine& machine) {
    CUstream_st* stream = machine.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (bytes == 0) return cudaSuccess;
    if (machine.memory.device_of(target) != target_device ||
        machine.memory.device_of(source) != source_device) {
      return cudaErrorInvalidValue;
    }
    return copy(machine, target, source, one_row(bytes), cudaMemcpyDeviceToDevice, *stream, false);
  });
}

// To or from a __device__ or __constant__ variable, on the current device.
cudaError_t copy_symbol(const void* symbol, void* other, size_t bytes, size_t offset,
                        bool to_symbol, cudaMemcpyKind kind, cudaStream_t handle, bool host_waits) {
  return device_call([&](Machine& machine) {
    uint64_t address = 0;
    uint64_t size = 0;
    const auto error = symbol_address(machine, symbol, &address, &size);
    if (error != cudaSuccess) return error;
    if (offset + bytes > size) return cudaErrorInvalidValue;
    CUstream_st* stream = machine.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    void* variable = reinterpret_cast<void*>(address + offset);
    return copy(machine, to_symbol ? variable : other, to_symbol ? other : variable, one_row(bytes),
                kind, *stream, host_waits);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
  return copy_on(target, source, one_row(bytes), kind, nullptr, true);
}
cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy_on(target, source, one_row(bytes), kind, stream, false);
}
cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_on(target, source, {width, height, target_pitch, source_pitch}, kind, nullptr, true);
}
cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source,
                              size_t source_pitch, size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return copy_on(target, source, {width, height, target_pitch, source_pitch}, kind, stream, false);
}
cudaError_t cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device,
                           size_t bytes) {
  return copy_peer(target, target_device, source, source_device, bytes, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, const void* source,
                                int source_device, size_t bytes, cudaStream_t stream) {
  return copy_peer(target, target_device, source, source_device, bytes, stream);
}

cudaError_t cudaMemset(void* target, int value, size_t bytes) {
  return fill_on(target, value, bytes, bytes, 1, nullptr);
}
cudaError_t cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
  return fill_on(target, value, bytes, bytes, 1, stream);
}
cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
  return fill_on(target, value, pitch, width, height, nullptr);
}
cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return fill_on(target, value, pitch, width, height, stream);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_symbol(symbol, const_cast<void*>(source), bytes, offset, true, kind, nullptr, true);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol(symbol, const_cast<void*>(source), bytes, offset, true, kind, stream, false);
}
cudaError_t cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_symbol(symbol, target, bytes, offset, false, kind, nullptr, true);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* target, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol(symbol, target, bytes, offset, false, kind, stream, false);
}

cudaError_t cudaGetSymbolAddress(void** out, const void* symbol) {
  return device_call([&](Machine& machine) {
    uint64_t address = 0;
    uint64_t bytes = 0;
    const auto error = symbol_address(machine, symbol, &address, &bytes);
    *out = reinterpret_cast<void*>(address);
    return error;
  });
}
cudaError_t cudaGetSymbolSize(size_t* out, const void* symbol) {
  return device_call([&](Machine& machine) {
    uint64_t address = 0;
    return symbol_address(machine, symbol, &address, out);
  });
}

}  // extern "C"
