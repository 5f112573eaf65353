// Kernels with one mistake each. A card often lets them pass; the simulated one must not.
#include <cassert>

#include "kernels/launch.cuh"

namespace backplane::sim::kernels {
namespace {

__global__ void read_past_end_kernel(const float* x, float* y, int n, int extra) {
  const int i = global_index();
  if (i < n) y[i] = x[i + extra];
}

// The barrier between writing and reading is missing.
__global__ void forgotten_barrier_kernel(const float* x, float* y) {
  __shared__ float values[kBlock];
  values[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = values[kBlock - 1 - threadIdx.x];
}

__global__ void forgotten_syncwarp_kernel(const float* x, float* y) {
  __shared__ float values[32];
  values[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = values[threadIdx.x ^ 1];
}

__global__ void barrier_in_branch_kernel(float* y) {
  if (threadIdx.x < 8) __syncthreads();
  y[threadIdx.x] = 1;
}

__global__ void early_return_before_barrier_kernel(float* y, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  y[threadIdx.x] = 1;
}

__global__ void blocks_share_a_word_kernel(float* y) {
  y[threadIdx.x] += blockIdx.x;
}

__global__ void shuffle_in_branch_kernel(float* y) {
  float value = threadIdx.x;
  if (threadIdx.x % 2 == 0)
    value = __shfl_xor_sync(~0u, value, 1);
  else
    y[0] = 1;
  __syncwarp();
  y[threadIdx.x] = value;
}

__global__ void misaligned_kernel(const char* x, float* y) {
  y[threadIdx.x] = *reinterpret_cast<const float*>(x + 1 + 4 * threadIdx.x);
}

__global__ void shared_past_end_kernel(float* y, int index) {
  __shared__ float values[32];
  values[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x + index];
}

// Only even threads write; the others read what nobody has written.
__global__ void unwritten_shared_kernel(float* y) {
  __shared__ float values[32];
  if (threadIdx.x % 2 == 0) values[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x];
}

__global__ void failed_assertion_kernel(int value) {
  assert(value == 0);
}

__global__ void spend_time_kernel(float* y, int n) {
  float value = 1;
  for (int i = 0; i < n; ++i) value = value * 0.999f + 0.001f;
  y[global_index()] = value;
}

}  // namespace

void read_past_end(const float* x, float* y, int n, int extra, cudaStream_t stream) {
  read_past_end_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, n, extra);
}
void forgotten_barrier(const float* x, float* y, cudaStream_t stream) {
  forgotten_barrier_kernel<<<1, kBlock, 0, stream>>>(x, y);
}
void forgotten_syncwarp(const float* x, float* y, cudaStream_t stream) {
  forgotten_syncwarp_kernel<<<1, 32, 0, stream>>>(x, y);
}
void barrier_in_branch(float* y, cudaStream_t stream) {
  barrier_in_branch_kernel<<<1, 64, 0, stream>>>(y);
}
void early_return_before_barrier(float* y, int n, cudaStream_t stream) {
  early_return_before_barrier_kernel<<<1, 64, 0, stream>>>(y, n);
}
void blocks_share_a_word(float* y, cudaStream_t stream) {
  blocks_share_a_word_kernel<<<4, 32, 0, stream>>>(y);
}
void shuffle_in_branch(float* y, cudaStream_t stream) {
  shuffle_in_branch_kernel<<<1, 32, 0, stream>>>(y);
}
void misaligned(const char* x, float* y, cudaStream_t stream) {
  misaligned_kernel<<<1, 32, 0, stream>>>(x, y);
}
void shared_past_end(float* y, int index, cudaStream_t stream) {
  shared_past_end_kernel<<<1, 32, 0, stream>>>(y, index);
}
void unwritten_shared(float* y, cudaStream_t stream) {
  unwritten_shared_kernel<<<1, 32, 0, stream>>>(y);
}
void failed_assertion(int value, cudaStream_t stream) {
  failed_assertion_kernel<<<1, 1, 0, stream>>>(value);
}
void spend_time(float* y, int n, cudaStream_t stream) {
  spend_time_kernel<<<1, 32, 0, stream>>>(y, n);
}

}  // namespace backplane::sim::kernels
