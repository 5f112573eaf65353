// Reductions, atomics and votes.
#include "kernels/launch.cuh"

namespace backplane::sim::kernels {
namespace {

extern __shared__ unsigned char scratch_bytes[];

// Shuffles within warps, dynamic shared memory between them.
template <class T>
__global__ void sum_rows_kernel(const T* x, T* y, int columns) {
  T* scratch = reinterpret_cast<T*>(scratch_bytes);
  T value = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    value += x[static_cast<int64_t>(blockIdx.x) * columns + c];
  }
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? scratch[threadIdx.x] : T(0);
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
    if (threadIdx.x == 0) y[blockIdx.x] = value;
  }
}

__global__ void histogram_kernel(const int* x, int* bins, int n) {
  __shared__ int local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void atomics_kernel(AtomicResults* r, int n) {
  const int i = global_index();
  if (i >= n) return;
  atomicAdd(&r->add, i);
  atomicMin(&r->minimum, -i);
  atomicMax(&r->maximum, i * 3);
  atomicExch(&r->exchanged, 5);
  atomicAnd(&r->bits_and, ~(1 << (i & 31)));
  atomicOr(&r->bits_or, 1 << (i & 31));
  atomicXor(&r->bits_xor, i);
  atomicInc(&r->increment, 6);
  atomicAdd(&r->wide, 1ull << 33);
  atomicAdd(&r->real, 0.5f);
  // The loop that back ends write where a type has no atomic addition.
  auto* word = reinterpret_cast<unsigned long long*>(&r->precise);
  unsigned long long seen = *reinterpret_cast<volatile unsigned long long*>(word);
  for (unsigned long long expected = ~seen; expected != seen;) {
    expected = seen;
    seen = atomicCAS(word, expected, __double_as_longlong(__longlong_as_double(expected) + 0.25));
  }
}

__global__ void warp_votes_kernel(const int* x, uint32_t* y, int n) {
  const int i = global_index();
  const int value = i < n ? x[i] : 0;
  uint32_t* out = y + static_cast<int64_t>(i) * 6;
  const uint32_t ballot = __ballot_sync(~0u, value > 3);
  const uint32_t any = __any_sync(~0u, value == 7);
  const uint32_t all = __all_sync(~0u, value < 100);
  const uint32_t match = __match_any_sync(~0u, value & 3);
  const uint32_t total = __reduce_add_sync(~0u, value);
  const uint32_t from = __shfl_sync(~0u, value, (threadIdx.x + 5) % 32, 8);
  const int odd = __syncthreads_count(value & 1);
  if (i >= n) return;
  out[0] = ballot;
  out[1] = any + 2 * all;
  out[2] = match;
  out[3] = total;
  out[4] = from;
  out[5] = odd;
}

// Each warp passes values through shared memory with no more than __syncwarp between.
__global__ void warp_scan_kernel(const float* x, float* y, int n) {
  __shared__ float values[kBlock];
  const int i = global_index();
  const int lane = threadIdx.x % 32;
  values[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncwarp();
  for (int offset = 1; offset < 32; offset *= 2) {
    const float before = lane >= offset ? values[threadIdx.x - offset] : 0.0f;
    __syncwarp();
    values[threadIdx.x] += before;
    __syncwarp();
  }
  // All lanes read one word, and after a fence one of them writes it.
  const float first = values[threadIdx.x / 32 * 32];
  __syncwarp();
  if (lane == 0) values[threadIdx.x] = 0;
  if (i < n) y[i] = lane == 0 ? first : values[threadIdx.x];
}

__global__ void arg_max_kernel(const float* x, int* index, int columns) {
  const float* row = x + static_cast<int64_t>(blockIdx.x) * columns;
  float best = -INFINITY;
  int at = columns;
  for (int c = threadIdx.x; c < columns; c += 32) {
    if (row[c] > best) {
      best = row[c];
      at = c;
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_down_sync(~0u, best, offset);
    const int other_at = __shfl_down_sync(~0u, at, offset);
    if (other > best || (other == best && other_at < at)) {
      best = other;
      at = other_at;
    }
  }
  if (threadIdx.x == 0) index[blockIdx.x] = at;
}

__global__ void grid_sum_kernel(const float* x, float* partial, unsigned* counter, float* y,
                                int n) {
  __shared__ float scratch[kBlock];
  __shared__ bool is_last;
  float value = 0;
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) value += x[i];
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = scratch[0];
    __threadfence();
    is_last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  float total = 0;
  for (int i = 0; i < gridDim.x; ++i) total += partial[i];
  *y = total;
}

}  // namespace

template <class T>
void sum_rows(const T* x, T* y, int rows, int columns, cudaStream_t stream) {
  sum_rows_kernel<<<rows, kBlock, kBlock / 32 * sizeof(T), stream>>>(x, y, columns);
}
template void sum_rows(const float*, float*, int, int, cudaStream_t);
template void sum_rows(const double*, double*, int, int, cudaStream_t);
template void sum_rows(const int*, int*, int, int, cudaStream_t);

void histogram(const int* x, int* bins, int n, cudaStream_t stream) {
  histogram_kernel<<<3, 96, 0, stream>>>(x, bins, n);
}
void atomics(AtomicResults* results, int n, cudaStream_t stream) {
  atomics_kernel<<<blocks_for(n), kBlock, 0, stream>>>(results, n);
}
void warp_votes(const int* x, uint32_t* y, int n, cudaStream_t stream) {
  warp_votes_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, n);
}
void warp_scan(const float* x, float* y, int n, cudaStream_t stream) {
  warp_scan_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, n);
}
void arg_max(const float* x, int* index, int rows, int columns, cudaStream_t stream) {
  arg_max_kernel<<<rows, 32, 0, stream>>>(x, index, columns);
}
void grid_sum(const float* x, float* partial, unsigned* counter, float* y, int n,
              cudaStream_t stream) {
  grid_sum_kernel<<<5, kBlock, 0, stream>>>(x, partial, counter, y, n);
}

}  // namespace backplane::sim::kernels
