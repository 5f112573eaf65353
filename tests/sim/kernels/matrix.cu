// Kernels with shared memory: tiled product, softmax, normalisation, transpose, staged copies.
#include <cuda_pipeline.h>

#include "kernels/launch.cuh"

namespace backplane::sim::kernels {
namespace {

constexpr int kTile = 16;

__global__ void gemm_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * kTile + y;
  const int column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int t = 0; t < k; t += kTile) {
    tile_a[y][x] = row < m && t + x < k ? a[static_cast<int64_t>(row) * k + t + x] : 0.0f;
    tile_b[y][x] = column < n && t + y < k ? b[static_cast<int64_t>(t + y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[static_cast<int64_t>(row) * n + column] = sum;
}

template <class Operation>
__device__ float block_reduce(float* scratch, float value, Operation operation) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      scratch[threadIdx.x] = operation(scratch[threadIdx.x], scratch[threadIdx.x + half]);
    }
    __syncthreads();
  }
  const float result = scratch[0];
  __syncthreads();
  return result;
}

__global__ void softmax_kernel(const float* x, float* y, int columns) {
  __shared__ float scratch[kBlock];
  const int64_t base = static_cast<int64_t>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += kBlock) largest = fmaxf(largest, x[base + c]);
  largest = block_reduce(scratch, largest, [](float p, float q) { return fmaxf(p, q); });
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += kBlock) sum += expf(x[base + c] - largest);
  sum = block_reduce(scratch, sum, [](float p, float q) { return p + q; });
  for (int c = threadIdx.x; c < columns; c += kBlock)
    y[base + c] = expf(x[base + c] - largest) / sum;
}

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

// One warp for each row; four rows in a block.
__global__ void layer_norm_kernel(const float* x, const float* weight, float* y, int rows,
                                  int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;  // the whole warp leaves: no lane waits for it
  const float* from = x + static_cast<int64_t>(row) * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 32) sum += from[c];
  const float mean = warp_sum(sum) / columns;
  float squares = 0;
  for (int c = threadIdx.x; c < columns; c += 32) squares += (from[c] - mean) * (from[c] - mean);
  const float scale = rsqrtf(warp_sum(squares) / columns + 1e-5f);
  for (int c = threadIdx.x; c < columns; c += 32) {
    y[static_cast<int64_t>(row) * columns + c] = (from[c] - mean) * scale * weight[c];
  }
}

__global__ void transpose_kernel(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    if (column < columns && row + i < rows) {
      tile[threadIdx.y + i][threadIdx.x] = x[static_cast<int64_t>(row + i) * columns + column];
    }
  }
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    if (column < rows && row + i < columns) {
      y[static_cast<int64_t>(row + i) * rows + column] = tile[threadIdx.x][threadIdx.y + i];
    }
  }
}

// Two stages in flight; each thread reads what another has copied.
__global__ void copy_through_shared_kernel(const float4* x, float4* y, int n) {
  __shared__ float4 stages[2][kBlock];
  const int base = blockIdx.x * 2 * kBlock;
  for (int stage = 0; stage < 2; ++stage) {
    const int i = base + stage * kBlock + threadIdx.x;
    if (i < n) __pipeline_memcpy_async(&stages[stage][threadIdx.x], &x[i], sizeof(float4));
    __pipeline_commit();
  }
  for (int stage = 0; stage < 2; ++stage) {
    __pipeline_wait_prior(stage == 0 ? 1 : 0);
    __syncthreads();
    const int i = base + stage * kBlock + (kBlock - 1 - threadIdx.x);
    if (i < n) y[i] = stages[stage][kBlock - 1 - threadIdx.x];
  }
}

}  // namespace

void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  const dim3 grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  gemm_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(a, b, c, m, n, k);
}
void softmax(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  softmax_kernel<<<rows, kBlock, 0, stream>>>(x, y, columns);
}
void layer_norm(const float* x, const float* weight, float* y, int rows, int columns,
                cudaStream_t stream) {
  layer_norm_kernel<<<(rows + 3) / 4, dim3(32, 4), 0, stream>>>(x, weight, y, rows, columns);
}
void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  const dim3 grid((columns + 31) / 32, (rows + 31) / 32);
  transpose_kernel<<<grid, dim3(32, 8), 0, stream>>>(x, y, rows, columns);
}
void copy_through_shared(const float4* x, float4* y, int n, cudaStream_t stream) {
  copy_through_shared_kernel<<<(n + 2 * kBlock - 1) / (2 * kBlock), kBlock, 0, stream>>>(x, y, n);
}

}  // namespace backplane::sim::kernels
