// The functions of cuDNN that convolutions need, with the argument checks of the real one; harsher
// where it is lenient: it refuses algorithms whose sums come in no fixed order, and rounds to TF32
// unless FMA math was asked for, as a card since Ampere may.
#include <cudnn.h>

#include <cstdio>

#include "dnn/convolve.h"
#include "runtime/bridge.h"

using namespace backplane::sim;

struct cudnnContext {
  cudaStream_t stream = nullptr;
  int device = 0;
};
struct cudnnTensorStruct {
  int dims[4] = {};
};
struct cudnnFilterStruct {
  int dims[4] = {};
};
struct cudnnConvolutionStruct {
  int padding[2] = {}, stride[2] = {1, 1}, dilation[2] = {1, 1}, groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace {

constexpr size_t workspace_bytes = 4096;  // whatever the shape; it has to be given

template <class Descriptor>
cudnnStatus_t make(Descriptor** made) {
  if (made == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  *made = new Descriptor;
  return CUDNN_STATUS_SUCCESS;
}
template <class Descriptor>
cudnnStatus_t destroy(Descriptor* descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set_dims(int (&target)[4], cudnnDataType_t type, cudnnTensorFormat_t format, int a,
                       int b, int c, int d) {
  if (type != CUDNN_DATA_FLOAT || format != CUDNN_TENSOR_NCHW) return CUDNN_STATUS_NOT_SUPPORTED;
  if (a < 1 || b < 1 || c < 1 || d < 1) return CUDNN_STATUS_BAD_PARAM;
  target[0] = a, target[1] = b, target[2] = c, target[3] = d;
  return CUDNN_STATUS_SUCCESS;
}

// The problem that three descriptors and a convolution state, if they fit each other.
cudnnStatus_t state(const cudnnTensorStruct& x, const cudnnFilterStruct& w,
                    const cudnnConvolutionStruct& conv, const cudnnTensorStruct& y,
                    Convolution& c) {
  c = {.samples = x.dims[0],
       .groups = conv.groups,
       .in_channels = x.dims[1],
       .out_channels = y.dims[1],
       .in = {},
       .out = {},
       .taps = {},
       .padding = {},
       .stride = {},
       .dilation = {},
       .tf32 = conv.math != CUDNN_FMA_MATH,
       .alpha = 1,
       .beta = 0};
  if (w.dims[1] * c.groups != c.in_channels || w.dims[0] != c.out_channels ||
      c.out_channels % c.groups != 0 || y.dims[0] != c.samples) {
    return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  }
  for (int axis = 0; axis < 2; ++axis) {
    c.in[axis] = x.dims[2 + axis];
    c.out[axis] = y.dims[2 + axis];
    c.taps[axis] = w.dims[2 + axis];
    c.padding[axis] = conv.padding[axis];
    c.stride[axis] = conv.stride[axis];
    c.dilation[axis] = conv.dilation[axis];
    const int room = c.in[axis] + 2 * c.padding[axis] - c.dilation[axis] * (c.taps[axis] - 1) - 1;
    if (room < 0 || room / c.stride[axis] + 1 != c.out[axis]) {
      return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

size_t bytes_of(const int (&dims)[4]) {
  return sizeof(float) * size_t(dims[0]) * size_t(dims[1]) * size_t(dims[2]) * size_t(dims[3]);
}

bool is_deterministic(bool deterministic) {
  if (!deterministic) {
    std::fprintf(stderr, "[backplane-sim] cuDNN: this algorithm's sums come in no fixed order\n");
  }
  return deterministic;
}

struct Buffers {
  const void* first;
  size_t first_bytes;
  const void* second;
  size_t second_bytes;
  void* workspace;
  size_t workspace_size;
  void* output;
  size_t output_bytes;
};

cudnnStatus_t submit(const cudnnContext& context, const char* what, const Buffers& b,
                     Convolution& c, const void* alpha, const void* beta,
                     void (*run)(void* const*, const void*)) {
  if (alpha == nullptr || beta == nullptr || b.workspace == nullptr) {
    return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  }
  if (b.workspace_size < workspace_bytes) return CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT;
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device != context.device) {
    std::fprintf(stderr, "[backplane-sim] cuDNN handle of device %d used on device %d\n",
                 context.device, device);
    return CUDNN_STATUS_EXECUTION_FAILED;
  }
  c.alpha = *static_cast<const float*>(alpha);
  c.beta = *static_cast<const float*>(beta);
  const backplane_sim_operand operands[] = {{b.first, b.first_bytes, 0},
                                            {b.second, b.second_bytes, 0},
                                            {b.workspace, workspace_bytes, 1},
                                            {b.output, b.output_bytes, 1}};
  const cudaError_t error =
      backplane_sim_enqueue(context.stream, what, operands, 4, run, &c, sizeof c);
  return error == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED_CUDART;
}

}  // namespace

extern "C" {

size_t cudnnGetVersion() {
  return CUDNN_VERSION;
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
#define NAME(code) \
  case code:       \
    return #code;
    NAME(CUDNN_STATUS_SUCCESS)
    NAME(CUDNN_STATUS_BAD_PARAM)
    NAME(CUDNN_STATUS_BAD_PARAM_NULL_POINTER)
    NAME(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH)
    NAME(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT)
    NAME(CUDNN_STATUS_NOT_SUPPORTED)
    NAME(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
    NAME(CUDNN_STATUS_EXECUTION_FAILED)
    NAME(CUDNN_STATUS_EXECUTION_FAILED_CUDART)
#undef NAME
    default:
      return "CUDNN_STATUS_INTERNAL_ERROR";
  }
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  if (backplane_sim_handle_made() != cudaSuccess) {
    return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  }
  *handle = new cudnnContext;
  cudaGetDevice(&(*handle)->device);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  backplane_sim_handle_destroyed();
  return destroy(handle);
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made) {
  return make(made);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) {
  return destroy(d);
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t d, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  return set_dims(d->dims, type, format, n, c, h, w);
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* made) {
  return make(made);
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d) {
  return destroy(d);
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return set_dims(d->dims, type, format, k, c, h, w);
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* made) {
  return make(made);
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t d) {
  return destroy(d);
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h,
                                              int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t type) {
  if (mode != CUDNN_CROSS_CORRELATION || type != CUDNN_DATA_FLOAT) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  if (pad_h < 0 || pad_w < 0 || stride_h < 1 || stride_w < 1 || dilation_h < 1 || dilation_w < 1) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  d->padding[0] = pad_h, d->padding[1] = pad_w;
  d->stride[0] = stride_h, d->stride[1] = stride_w;
  d->dilation[0] = dilation_h, d->dilation[1] = dilation_w;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t d, int groups) {
  d->groups = groups;
  return groups < 1 ? CUDNN_STATUS_BAD_PARAM : CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t math) {
  d->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t,
                                                      const cudnnTensorDescriptor_t x,
                                                      const cudnnFilterDescriptor_t w,
                                                      const cudnnConvolutionDescriptor_t conv,
                                                      const cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t, size_t* bytes) {
  Convolution c;
  *bytes = workspace_bytes;
  return state(*x, *w, *conv, *y, c);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t conv, const cudnnTensorDescriptor_t dx,
    cudnnConvolutionBwdDataAlgo_t, size_t* bytes) {
  Convolution c;
  *bytes = workspace_bytes;
  return state(*dx, *w, *conv, *dy, c);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t conv, const cudnnFilterDescriptor_t dw,
    cudnnConvolutionBwdFilterAlgo_t, size_t* bytes) {
  Convolution c;
  *bytes = workspace_bytes;
  return state(*x, *dw, *conv, *dy, c);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                      const cudnnTensorDescriptor_t x_desc, const void* x,
                                      const cudnnFilterDescriptor_t w_desc, const void* w,
                                      const cudnnConvolutionDescriptor_t conv,
                                      cudnnConvolutionFwdAlgo_t, void* workspace, size_t bytes,
                                      const void* beta, const cudnnTensorDescriptor_t y_desc,
                                      void* y) {
  Convolution c;
  const auto status = state(*x_desc, *w_desc, *conv, *y_desc, c);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  return submit(*handle, "cudnn convolution",
                {x, bytes_of(x_desc->dims), w, bytes_of(w_desc->dims), workspace, bytes, y,
                 bytes_of(y_desc->dims)},
                c, alpha, beta, run_forward);
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           const cudnnFilterDescriptor_t w_desc, const void* w,
                                           const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                           const cudnnConvolutionDescriptor_t conv,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           size_t bytes, const void* beta,
                                           const cudnnTensorDescriptor_t dx_desc, void* dx) {
  Convolution c;
  const auto status = state(*dx_desc, *w_desc, *conv, *dy_desc, c);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (!is_deterministic(algorithm != CUDNN_CONVOLUTION_BWD_DATA_ALGO_0)) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  return submit(*handle, "cudnn data gradient",
                {w, bytes_of(w_desc->dims), dy, bytes_of(dy_desc->dims), workspace, bytes, dx,
                 bytes_of(dx_desc->dims)},
                c, alpha, beta, run_backward_data);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                             const cudnnTensorDescriptor_t x_desc, const void* x,
                                             const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                             const cudnnConvolutionDescriptor_t conv,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                             void* workspace, size_t bytes, const void* beta,
                                             const cudnnFilterDescriptor_t dw_desc, void* dw) {
  Convolution c;
  const auto status = state(*x_desc, *dw_desc, *conv, *dy_desc, c);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  if (!is_deterministic(algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 &&
                        algorithm != CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3)) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  return submit(*handle, "cudnn weight gradient",
                {x, bytes_of(x_desc->dims), dy, bytes_of(dy_desc->dims), workspace, bytes, dw,
                 bytes_of(dw_desc->dims)},
                c, alpha, beta, run_backward_filter);
}

}  // extern "C"
