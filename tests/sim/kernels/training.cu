// Kernels of a training step: dropout, Adam, max-pool, convolution, cross-entropy.
#include "kernels/launch.cuh"

namespace backplane::sim::kernels {
namespace {

// Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
__device__ uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const uint32_t high0 = __umulhi(0xD2511F53u, counter.x);
    const uint32_t low0 = 0xD2511F53u * counter.x;
    const uint32_t high1 = __umulhi(0xCD9E8D57u, counter.z);
    const uint32_t low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

__global__ void dropout_kernel(const float* x, float* y, int n, uint64_t seed, uint64_t offset,
                               float keep) {
  const int i = global_index();
  if (4 * i >= n) return;
  const uint64_t place = offset + i;
  const uint4 counter =
      make_uint4(static_cast<uint32_t>(place), static_cast<uint32_t>(place >> 32), 0, 0);
  const uint2 key = make_uint2(static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32));
  const uint4 random = philox(counter, key);
  const uint32_t words[4] = {random.x, random.y, random.z, random.w};
  for (int j = 0; j < 4; ++j) {
    if (4 * i + j >= n) return;
    const float uniform = static_cast<float>(words[j] >> 8) * (1.0f / 16777216.0f);
    y[4 * i + j] = uniform < keep ? x[4 * i + j] / keep : 0.0f;
  }
}

__global__ void adam_kernel(float* p, const float* g, float* m, float* v, int n, float rate,
                            float beta1, float beta2, float epsilon, float correction1,
                            float correction2) {
  const int i = global_index();
  if (i >= n) return;
  const float first = beta1 * m[i] + (1.0f - beta1) * g[i];
  const float second = beta2 * v[i] + (1.0f - beta2) * g[i] * g[i];
  m[i] = first;
  v[i] = second;
  p[i] -= rate * (first / correction1) / (sqrtf(second / correction2) + epsilon);
}

__global__ void max_pool_kernel(const float* x, float* y, uint8_t* winner, int planes, int height,
                                int width, int kernel, int stride) {
  const int out_height = (height - kernel) / stride + 1;
  const int out_width = (width - kernel) / stride + 1;
  const int i = global_index();
  if (i >= planes * out_height * out_width) return;
  const int plane = i / (out_height * out_width);
  const int row = i / out_width % out_height;
  const int column = i % out_width;
  float best = -INFINITY;
  int at = 0;
  for (int r = 0; r < kernel; ++r) {
    for (int c = 0; c < kernel; ++c) {
      const int64_t index =
          (static_cast<int64_t>(plane) * height + row * stride + r) * width + column * stride + c;
      const float value = x[index];
      if (value > best || isnan(value)) {
        best = value;
        at = r * kernel + c;
      }
    }
  }
  y[i] = best;
  winner[i] = static_cast<uint8_t>(at);
}

__global__ void conv2d_kernel(const float* x, const float* w, float* y, int channels, int size,
                              int kernel) {
  const int out_size = size - kernel + 1;
  const int column = threadIdx.x;
  const int row = blockIdx.x;
  const int output = blockIdx.y;
  const int image = blockIdx.z;
  if (column >= out_size) return;
  float sum = 0;
  for (int c = 0; c < channels; ++c) {
    for (int r = 0; r < kernel; ++r) {
      for (int s = 0; s < kernel; ++s) {
        sum += x[((image * channels + c) * size + row + r) * size + column + s] *
               w[((output * channels + c) * kernel + r) * kernel + s];
      }
    }
  }
  y[((image * gridDim.y + output) * out_size + row) * out_size + column] = sum;
}

__global__ void cross_entropy_kernel(const float* logits, const int* labels, float* losses,
                                     unsigned* error, int rows, int classes) {
  const int row = global_index();
  if (row >= rows) return;
  const float* x = logits + static_cast<int64_t>(row) * classes;
  const int label = labels[row];
  if (label < 0 || label >= classes) {
    atomicMin(error, static_cast<unsigned>(row));
    losses[row] = 0;
    return;
  }
  float largest = x[0];
  for (int c = 1; c < classes; ++c) largest = fmaxf(largest, x[c]);
  float sum = 0;
  for (int c = 0; c < classes; ++c) sum += expf(x[c] - largest);
  losses[row] = logf(sum) + largest - x[label];
}

}  // namespace

void dropout(const float* x, float* y, int n, uint64_t seed, uint64_t offset, float keep,
             cudaStream_t stream) {
  dropout_kernel<<<blocks_for((n + 3) / 4), kBlock, 0, stream>>>(x, y, n, seed, offset, keep);
}
void adam(float* p, const float* g, float* m, float* v, int n, float rate, float beta1, float beta2,
          float epsilon, float correction1, float correction2, cudaStream_t stream) {
  adam_kernel<<<blocks_for(n), kBlock, 0, stream>>>(p, g, m, v, n, rate, beta1, beta2, epsilon,
                                                    correction1, correction2);
}
void max_pool(const float* x, float* y, uint8_t* winner, int planes, int height, int width,
              int kernel, int stride, cudaStream_t stream) {
  const int outputs = planes * ((height - kernel) / stride + 1) * ((width - kernel) / stride + 1);
  max_pool_kernel<<<blocks_for(outputs), kBlock, 0, stream>>>(x, y, winner, planes, height, width,
                                                              kernel, stride);
}
void conv2d(const float* x, const float* w, float* y, int batch, int channels, int size,
            int outputs, int kernel, cudaStream_t stream) {
  const dim3 grid(size - kernel + 1, outputs, batch);
  conv2d_kernel<<<grid, 64, 0, stream>>>(x, w, y, channels, size, kernel);
}
void cross_entropy(const float* logits, const int* labels, float* losses, unsigned* error, int rows,
                   int classes, cudaStream_t stream) {
  cross_entropy_kernel<<<blocks_for(rows), kBlock, 0, stream>>>(logits, labels, losses, error, rows,
                                                                classes);
}

}  // namespace backplane::sim::kernels
