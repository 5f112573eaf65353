// Elementwise kernels: activations, mathematical functions, casts, a large argument by value.
#include "kernels/launch.cuh"

namespace backplane::sim::kernels {
namespace {

__global__ void relu_kernel(const float* x, float* y, int n) {
  const int i = global_index();
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

__global__ void bias_relu_kernel(const float* x, const float* bias, float* y, int64_t rows,
                                 int64_t columns) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = global_index(); i < rows * columns; i += step) {
    y[i] = fmaxf(x[i] + bias[i % columns], 0.0f);
  }
}

__global__ void axpy_kernel(AxpyArguments a) {
  const int64_t i = global_index();
  if (i >= a.n) return;
  const float4 x = a.x[i];
  float4 y = a.y[i];
  y.x += a.a * x.x * a.weights[i % 40];
  y.y += a.a * x.y;
  y.z += a.a * x.z;
  y.w += a.a * x.w;
  a.y[i] = y;
}

template <class T>
__device__ T evaluate(Function function, T x) {
  switch (function) {
    case Function::exp:
      return exp(x);
    case Function::log:
      return log(x);
    case Function::tanh:
      return tanh(x);
    case Function::erf:
      return erf(x);
    case Function::pow:
      return pow(x, T(2.5));
    case Function::sin:
      return sin(x);
    case Function::cos:
      return cos(x);
    case Function::sqrt:
      return sqrt(x);
    case Function::rsqrt:
      return rsqrt(x);
    case Function::sigmoid:
      return T(1) / (T(1) + exp(-x));
    case Function::cbrt:
      return cbrt(x);
    case Function::log1p:
      return log1p(x);
    case Function::floor:
      return floor(x) + ceil(x) + rint(x) + trunc(x);
  }
  return x;
}

template <class T>
__global__ void apply_kernel(Function function, const T* x, T* y, int n) {
  const int i = global_index();
  if (i < n) y[i] = evaluate(function, x[i]);
}

__global__ void fast_math_kernel(const float* x, float* y, int n) {
  const int i = global_index();
  if (i < n)
    y[i] = __expf(x[i]) + __fdividef(x[i], 3.0f) + __sinf(x[i]) + __saturatef(x[i]) +
           __frcp_rn(x[i]) + __fsqrt_rn(fabsf(x[i])) + __fmaf_rz(x[i], x[i], 1.0f);
}

template <class From, class To>
__global__ void cast_kernel(const From* x, To* y, int n) {
  const int i = global_index();
  if (i < n) y[i] = static_cast<To>(x[i]);
}

template <class T>
__global__ void clamp_kernel(const T* x, T* y, T low, T high, int n) {
  const int i = global_index();
  if (i < n) y[i] = min(max(x[i], low), high);
}

// !(a <= b) is a comparison that is true for NaN: setp.gtu or its like.
__global__ void nan_aware_maximum_kernel(const float* a, const float* b, float* y, int n) {
  const int i = global_index();
  if (i >= n) return;
  y[i] = isnan(a[i]) || !(a[i] <= b[i]) ? a[i] : b[i];
}

}  // namespace

void relu(const float* x, float* y, int n, cudaStream_t stream) {
  relu_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, n);
}
const void* relu_function() {
  return reinterpret_cast<const void*>(relu_kernel);
}
void bias_relu(const float* x, const float* bias, float* y, int64_t rows, int64_t columns,
               cudaStream_t stream) {
  bias_relu_kernel<<<3, kBlock, 0, stream>>>(x, bias, y, rows, columns);
}
void axpy(const AxpyArguments& arguments, cudaStream_t stream) {
  axpy_kernel<<<blocks_for(arguments.n), kBlock, 0, stream>>>(arguments);
}
void apply(Function function, const float* x, float* y, int n, cudaStream_t stream) {
  apply_kernel<<<blocks_for(n), kBlock, 0, stream>>>(function, x, y, n);
}
void apply_double(Function function, const double* x, double* y, int n, cudaStream_t stream) {
  apply_kernel<<<blocks_for(n), kBlock, 0, stream>>>(function, x, y, n);
}
void fast_math(const float* x, float* y, int n, cudaStream_t stream) {
  fast_math_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, n);
}
template <class From, class To>
void cast(const From* x, To* y, int n, cudaStream_t stream) {
  cast_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, n);
}
template void cast(const float*, int*, int, cudaStream_t);
template void cast(const int*, float*, int, cudaStream_t);
template void cast(const double*, float*, int, cudaStream_t);
template void cast(const float*, double*, int, cudaStream_t);
template void cast(const float*, uint8_t*, int, cudaStream_t);
template void cast(const int64_t*, double*, int, cudaStream_t);
template void cast(const double*, int64_t*, int, cudaStream_t);
template void cast(const int8_t*, int*, int, cudaStream_t);
template void cast(const float*, uint64_t*, int, cudaStream_t);
template void cast(const uint64_t*, float*, int, cudaStream_t);

template <class T>
void clamp(const T* x, T* y, T low, T high, int n, cudaStream_t stream) {
  clamp_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, low, high, n);
}
template void clamp(const float*, float*, float, float, int, cudaStream_t);
template void clamp(const int*, int*, int, int, int, cudaStream_t);
template void clamp(const double*, double*, double, double, int, cudaStream_t);
template void clamp(const int64_t*, int64_t*, int64_t, int64_t, int, cudaStream_t);

void nan_aware_maximum(const float* a, const float* b, float* y, int n, cudaStream_t stream) {
  nan_aware_maximum_kernel<<<blocks_for(n), kBlock, 0, stream>>>(a, b, y, n);
}

}  // namespace backplane::sim::kernels
