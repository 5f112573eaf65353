// The simulated cuDNN: sums by hand, TF32 unless it is forbidden, and what it refuses.
#include <cudnn.h>

#include "checks/support.h"

using namespace backplane::sim::checks;

namespace {

#define CHECK_DNN(call) CHECK_EQ((call), CUDNN_STATUS_SUCCESS)

// One image and one channel each way: rows of 3, a kernel of 2, so rows of 2 come out.
struct Setup {
  Setup() {
    CHECK_DNN(cudnnCreate(&handle));
    CHECK_DNN(cudnnCreateTensorDescriptor(&x));
    CHECK_DNN(cudnnCreateTensorDescriptor(&y));
    CHECK_DNN(cudnnCreateFilterDescriptor(&w));
    CHECK_DNN(cudnnCreateConvolutionDescriptor(&conv));
    CHECK_DNN(cudnnSetTensor4dDescriptor(x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 3));
    CHECK_DNN(cudnnSetTensor4dDescriptor(y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 2));
    CHECK_DNN(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, 1, 2));
    CHECK_DNN(cudnnSetConvolution2dDescriptor(conv, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                              CUDNN_DATA_FLOAT));
    CHECK_DNN(cudnnSetConvolutionMathType(conv, CUDNN_FMA_MATH));
  }
  ~Setup() {
    cudnnDestroyConvolutionDescriptor(conv);
    cudnnDestroyFilterDescriptor(w);
    cudnnDestroyTensorDescriptor(y);
    cudnnDestroyTensorDescriptor(x);
    cudnnDestroy(handle);
  }

  cudnnStatus_t forward(const float* in, const float* weight, float* out,
                        size_t bytes = 4096) const {
    return cudnnConvolutionForward(handle, &one, x, in, w, weight, conv,
                                   CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, space, bytes, &zero, y,
                                   out);
  }

  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t conv = nullptr;
  DeviceArray<float> space{1024};
  float one = 1, zero = 0;
};

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("a convolution and its gradients, by hand") {
  const Setup s;
  const DeviceArray<float> x(Floats{1, 2, 3}), w(Floats{10, 100}), y(2), dx(3), dw(Floats{1, 1});
  CHECK_DNN(s.forward(x, w, y));
  CHECK_EQ(y.download(), Floats{210, 320});
  CHECK_DNN(cudnnConvolutionBackwardData(s.handle, &s.one, s.w, w, s.y, y, s.conv,
                                         CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, s.space, 4096, &s.zero,
                                         s.x, dx));
  CHECK_EQ(dx.download(), Floats{2100, 24200, 32000});
  CHECK_DNN(cudnnConvolutionBackwardFilter(s.handle, &s.one, s.x, x, s.y, y, s.conv,
                                           CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, s.space, 4096,
                                           &s.one, s.w, dw));
  CHECK_EQ(dw.download(), Floats{851, 1381});  // added to the ones that were there
}

TEST_CASE("TF32 unless FMA math was asked for") {
  const Setup s;
  const float fine = 1 + 1.0f / 4096;
  const DeviceArray<float> x(Floats{fine, 0, 0}), w(Floats{1, 0}), y(2);
  CHECK_DNN(s.forward(x, w, y));
  CHECK_EQ(y.download()[0], fine);
  CHECK_DNN(cudnnSetConvolutionMathType(s.conv, CUDNN_DEFAULT_MATH));
  CHECK_DNN(s.forward(x, w, y));
  CHECK_EQ(y.download()[0], 1);
}

TEST_CASE("refused: too small a workspace, shapes that don't fit, sums in no fixed order") {
  const Setup s;
  const DeviceArray<float> x(Floats{1, 2, 3}), w(Floats{10, 100}), y(2);
  CHECK_EQ(s.forward(x, w, y, 64), CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  CHECK_EQ(cudnnConvolutionBackwardData(s.handle, &s.one, s.w, w, s.y, y, s.conv,
                                        CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, s.space, 4096, &s.zero,
                                        s.x, x),
           CUDNN_STATUS_NOT_SUPPORTED);
  CHECK_EQ(cudnnConvolutionBackwardFilter(s.handle, &s.one, s.x, x, s.y, y, s.conv,
                                          CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3, s.space, 4096,
                                          &s.zero, s.w, w),
           CUDNN_STATUS_NOT_SUPPORTED);
  CHECK_DNN(cudnnSetTensor4dDescriptor(s.y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, 3));
  CHECK_EQ(s.forward(x, w, y), CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
}
