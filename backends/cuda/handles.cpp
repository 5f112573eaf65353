// How streams, events, handles and memory are asked for.
#include "handles.hpp"

namespace backplane::cuda {

StreamHandle make_stream() {
  cudaStream_t stream = nullptr;
  // Non-blocking: the program's own work on the legacy stream must not order ours.
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  return StreamHandle(stream);
}

EventHandle make_event(unsigned flags) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "creating an event");
  return EventHandle(event);
}

BlasHandle make_blas(cudaStream_t stream) {
  cublasHandle_t made = nullptr;
  check(cublasCreate(&made), "creating a cuBLAS handle");
  BlasHandle handle(made);
  check(cublasSetStream(made, stream), "giving cuBLAS its stream");
  return handle;
}

void* allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes);
  if (code != cudaSuccess) {
    throw failure(code, "allocating " + std::to_string(bytes) + " bytes on the device");
  }
  return memory;
}

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = cudaHostAlloc(&memory, bytes, cudaHostAllocMapped);
  if (code != cudaSuccess) {
    throw failure(code, "allocating " + std::to_string(bytes) + " pinned bytes");
  }
  return memory;
}

}  // namespace backplane::cuda
