// cuDNN's functions, found in the library at run time, and owners of what they make.
#pragma once

#if __has_include(<cudnn.h>)
#include <cudnn.h>
#endif

#if defined(CUDNN_MAJOR) && CUDNN_MAJOR == 9
#define BACKPLANE_CUDA_KNOWS_DNN 1

#include <memory>
#include <mutex>

#include "handles.hpp"

namespace backplane::cuda::dnn {

// clang-format off
#define BACKPLANE_DNN_FUNCTIONS(row)                                                  \
  row(cudnnGetVersion) row(cudnnGetErrorString)                                       \
  row(cudnnCreate) row(cudnnDestroy) row(cudnnSetStream)                              \
  row(cudnnCreateTensorDescriptor) row(cudnnDestroyTensorDescriptor)                  \
  row(cudnnSetTensor4dDescriptor)                                                     \
  row(cudnnCreateFilterDescriptor) row(cudnnDestroyFilterDescriptor)                  \
  row(cudnnSetFilter4dDescriptor)                                                     \
  row(cudnnCreateConvolutionDescriptor) row(cudnnDestroyConvolutionDescriptor)        \
  row(cudnnSetConvolution2dDescriptor) row(cudnnSetConvolutionGroupCount)             \
  row(cudnnSetConvolutionMathType)                                                    \
  row(cudnnGetConvolutionForwardWorkspaceSize) row(cudnnConvolutionForward)           \
  row(cudnnGetConvolutionBackwardDataWorkspaceSize) row(cudnnConvolutionBackwardData) \
  row(cudnnGetConvolutionBackwardFilterWorkspaceSize) row(cudnnConvolutionBackwardFilter)
// clang-format on

// Opened at the first call, until the process ends. Unsupported where it isn't found.
class Library {
 public:
  [[nodiscard]] static const Library& open();

#define BACKPLANE_DNN_ROW(name) decltype(&::name) name;
  BACKPLANE_DNN_FUNCTIONS(BACKPLANE_DNN_ROW)
#undef BACKPLANE_DNN_ROW

  void check(cudnnStatus_t status, const char* what) const;

 private:
  explicit Library(void* library);
};

struct Release {
  void operator()(cudnnContext* handle) const { Library::open().cudnnDestroy(handle); }
  void operator()(cudnnTensorStruct* d) const { Library::open().cudnnDestroyTensorDescriptor(d); }
  void operator()(cudnnFilterStruct* d) const { Library::open().cudnnDestroyFilterDescriptor(d); }
  void operator()(cudnnConvolutionStruct* d) const {
    Library::open().cudnnDestroyConvolutionDescriptor(d);
  }
};
using Handle = std::unique_ptr<cudnnContext, Release>;
using Tensor = std::unique_ptr<cudnnTensorStruct, Release>;
using Filter = std::unique_ptr<cudnnFilterStruct, Release>;
using Convolution = std::unique_ptr<cudnnConvolutionStruct, Release>;

// Row-major, f32. Sizes must fit an int.
[[nodiscard]] Tensor tensor(const bp_tensor_desc& desc);
[[nodiscard]] Filter filter(const bp_tensor_desc& desc);
// Float32 without TF32. Padding must be the same on opposite sides.
[[nodiscard]] Convolution convolution(const op::Conv2dParams& params);

// cuDNN on one card. Its handle serves all queues in turn: a handle for each would allocate memory
// on the card at a queue's first convolution.
class Card {
 public:
  explicit Card(int ordinal);
  [[nodiscard]] cudnnHandle_t handle() const { return handle_.get(); }

  // Calls body(handle), which enqueues on the stream.
  template <class Body>
  void enqueue(cudaStream_t stream, const char* what, Body body) const {
    const CurrentDevice scope(ordinal_);
    const std::scoped_lock lock(mutex_);
    library.check(library.cudnnSetStream(handle(), stream), "giving cuDNN its stream");
    library.check(body(handle()), what);
  }

  const Library& library = Library::open();

 private:
  int ordinal_;
  Handle handle_;
  mutable std::mutex mutex_;
};

}  // namespace backplane::cuda::dnn

#endif
