// Owners of what CUDA and cuBLAS hand out, and the choice of a device for a scope.
#pragma once

#include <memory>

#include "errors.hpp"

namespace backplane::cuda {

// Makes a device current on this thread; the program's own choice comes back at the end.
class CurrentDevice {
 public:
  explicit CurrentDevice(int ordinal) {
    check(cudaGetDevice(&previous_), "asking for the current device");
    changed_ = previous_ != ordinal;
    if (changed_) check(cudaSetDevice(ordinal), "choosing a device");
  }
  ~CurrentDevice() {
    if (changed_) cudaSetDevice(previous_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int previous_ = 0;
  bool changed_ = false;
};

// Errors on the way out are dropped: a lost device must not keep a destructor from its work.
struct Release {
  void operator()(CUstream_st* stream) const { cudaStreamDestroy(stream); }
  void operator()(CUevent_st* event) const { cudaEventDestroy(event); }
  void operator()(CUgraph_st* graph) const { cudaGraphDestroy(graph); }
  void operator()(CUgraphExec_st* graph) const { cudaGraphExecDestroy(graph); }
  void operator()(cublasContext* handle) const { cublasDestroy(handle); }
};
struct ReleaseDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
struct ReleasePinned {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};

using StreamHandle = std::unique_ptr<CUstream_st, Release>;
using EventHandle = std::unique_ptr<CUevent_st, Release>;
using GraphHandle = std::unique_ptr<CUgraph_st, Release>;
using GraphExecHandle = std::unique_ptr<CUgraphExec_st, Release>;
using BlasHandle = std::unique_ptr<cublasContext, Release>;
template <class T>
using DeviceMemory = std::unique_ptr<T, ReleaseDevice>;
template <class T>
using PinnedMemory = std::unique_ptr<T, ReleasePinned>;

[[nodiscard]] StreamHandle make_stream();
[[nodiscard]] EventHandle make_event(unsigned flags);
[[nodiscard]] BlasHandle make_blas(cudaStream_t stream);
[[nodiscard]] void* allocate_device(std::size_t bytes);
[[nodiscard]] void* allocate_pinned(std::size_t bytes);  // mapped: kernels reach it as well

}  // namespace backplane::cuda
