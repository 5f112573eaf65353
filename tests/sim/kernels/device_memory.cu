// Device variables, constants, local arrays, calls, function pointers, dynamic shared memory.
#include <cstdio>

#include "kernels/launch.cuh"

namespace backplane::sim::kernels {
namespace {

__constant__ float table[8];
__device__ float scale = 2.0f;
__device__ unsigned counter;
__device__ float squares[4] = {0, 1, 4, 9};
__device__ float* const second_square = &squares[2];

__global__ void use_globals_kernel(const int* index, float* y, int n) {
  const int i = global_index();
  if (i >= n) return;
  y[i] = table[index[i] & 7] * scale + squares[i & 3] + *second_square;
  atomicAdd(&counter, 1u);
}

// Sorts eight numbers in an array that is indexed at run time, hence in local memory.
__global__ void local_arrays_kernel(const int* x, int* y, int n) {
  const int i = global_index();
  if (8 * i + 7 >= n) return;
  int values[8];
  for (int j = 0; j < 8; ++j) values[j] = x[8 * i + j];
  for (int j = 1; j < 8; ++j) {
    int k = j;
    for (const int moved = values[j]; k > 0 && values[k - 1] > moved; --k) {
      values[k] = values[k - 1];
      values[k - 1] = moved;
    }
  }
  for (int j = 0; j < 8; ++j) y[8 * i + j] = values[j];
}

struct Pair {
  float low;
  double high;
};
__device__ __noinline__ Pair split(float x) {
  return {floorf(x), x - floorf(x)};
}
__device__ float twice(float x) {
  return 2 * x;
}
__device__ float joined(float x) {
  const Pair pair = split(x);
  return pair.low + static_cast<float>(pair.high) * 10;
}
using Unary = float (*)(float);
__device__ const Unary choices[2] = {twice, joined};

__global__ void function_pointers_kernel(const float* x, float* y, int which, int n) {
  const int i = global_index();
  if (i < n) y[i] = choices[which](x[i]);
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void recursion_kernel(const int* x, int* y, int n) {
  const int i = global_index();
  if (i < n) y[i] = fibonacci(x[i]);
}

extern __shared__ float dynamic[];
__device__ __noinline__ float neighbour(int i, int n) {
  return dynamic[(i + 1) % n];
}
__global__ void dynamic_shared_kernel(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) dynamic[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = neighbour(i, n);
}

__global__ void print_line_kernel(int value) {
  printf("value %d, half %.2f, text %s, 100%%\n", value, value * 0.5, "ok");
}

}  // namespace

cudaError_t set_table(const float* values, int n) {
  return cudaMemcpyToSymbol(table, values, n * sizeof(float));
}
cudaError_t set_scale(float value) {
  return cudaMemcpyToSymbol(scale, &value, sizeof value);
}
cudaError_t get_counter(unsigned* value) {
  return cudaMemcpyFromSymbol(value, counter, sizeof *value);
}
void use_globals(const int* index, float* y, int n, cudaStream_t stream) {
  use_globals_kernel<<<blocks_for(n), kBlock, 0, stream>>>(index, y, n);
}
void local_arrays(const int* x, int* y, int n, cudaStream_t stream) {
  local_arrays_kernel<<<blocks_for(n / 8), kBlock, 0, stream>>>(x, y, n);
}
void function_pointers(const float* x, float* y, int which, int n, cudaStream_t stream) {
  function_pointers_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, which, n);
}
void recursion(const int* x, int* y, int n, cudaStream_t stream) {
  recursion_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, n);
}
void dynamic_shared(const float* x, float* y, int n, int bytes, cudaStream_t stream) {
  dynamic_shared_kernel<<<1, kBlock, bytes, stream>>>(x, y, n);
}
cudaError_t allow_dynamic_shared(int bytes) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(dynamic_shared_kernel),
                              cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}
void print_line(int value, cudaStream_t stream) {
  print_line_kernel<<<1, 1, 0, stream>>>(value);
}

}  // namespace backplane::sim::kernels
