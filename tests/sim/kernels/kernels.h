// Launchers of the test kernels. Each puts one kernel on a stream; pointers are device pointers.
// The kernels are written as a back end would write them, and together use most of what nvcc emits.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace backplane::sim::kernels {

// elementwise.cu
void relu(const float* x, float* y, int n, cudaStream_t stream);
const void* relu_function();  // for calls that name a kernel: (const float*, float*, int)
void bias_relu(const float* x, const float* bias, float* y, int64_t rows, int64_t columns,
               cudaStream_t stream);
struct AxpyArguments {  // a large argument by value, with pointers inside
  float weights[40];
  const float4* x;
  float4* y;
  int64_t n;
  float a;
};
void axpy(const AxpyArguments& arguments, cudaStream_t stream);
enum class Function {
  exp,
  log,
  tanh,
  erf,
  pow,
  sin,
  cos,
  sqrt,
  rsqrt,
  sigmoid,
  cbrt,
  log1p,
  floor
};
void apply(Function function, const float* x, float* y, int n, cudaStream_t stream);
void apply_double(Function function, const double* x, double* y, int n, cudaStream_t stream);
void fast_math(const float* x, float* y, int n, cudaStream_t stream);
template <class From, class To>
void cast(const From* x, To* y, int n, cudaStream_t stream);
template <class T>
void clamp(const T* x, T* y, T low, T high, int n, cudaStream_t stream);
void nan_aware_maximum(const float* a, const float* b, float* y, int n, cudaStream_t stream);

// integers.cu
inline constexpr int kIntegerResults = 22;
void integer_mix(const uint32_t* a, const uint32_t* b, uint32_t* y, int n, cudaStream_t stream);
void long_mix(const int64_t* a, const int64_t* b, int64_t* y, int n, cudaStream_t stream);
void byte_mask(const uint8_t* x, uint8_t* mask, int16_t* wide, int n, cudaStream_t stream);
void rounded(const float* x, int* y, int n, cudaStream_t stream);  // five roundings each

// matrix.cu
void gemm(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream);
void softmax(const float* x, float* y, int rows, int columns, cudaStream_t stream);
void layer_norm(const float* x, const float* weight, float* y, int rows, int columns,
                cudaStream_t stream);
void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream);
void copy_through_shared(const float4* x, float4* y, int n, cudaStream_t stream);  // cp.async

// reduce.cu
template <class T>
void sum_rows(const T* x, T* y, int rows, int columns, cudaStream_t stream);
void histogram(const int* x, int* bins, int n, cudaStream_t stream);
struct AtomicResults {
  int add, minimum, maximum, exchanged, bits_and, bits_or, bits_xor;
  unsigned increment;
  unsigned long long wide;
  float real;
  double precise;
};
void atomics(AtomicResults* results, int n, cudaStream_t stream);
void warp_votes(const int* x, uint32_t* y, int n, cudaStream_t stream);  // 6 words a thread
void warp_scan(const float* x, float* y, int n, cudaStream_t stream);    // running sums of 32
void arg_max(const float* x, int* index, int rows, int columns, cudaStream_t stream);
void grid_sum(const float* x, float* partial, unsigned* counter, float* y, int n,
              cudaStream_t stream);  // the last block finishes

// training.cu
void dropout(const float* x, float* y, int n, uint64_t seed, uint64_t offset, float keep,
             cudaStream_t stream);
void adam(float* p, const float* g, float* m, float* v, int n, float rate, float beta1, float beta2,
          float epsilon, float correction1, float correction2, cudaStream_t stream);
void max_pool(const float* x, float* y, uint8_t* winner, int planes, int height, int width,
              int kernel, int stride, cudaStream_t stream);
void conv2d(const float* x, const float* w, float* y, int batch, int channels, int size,
            int outputs, int kernel, cudaStream_t stream);
void cross_entropy(const float* logits, const int* labels, float* losses, unsigned* error, int rows,
                   int classes, cudaStream_t stream);

// half.cu
void halves(const __half* a, const __half* b, __half* y, int n, cudaStream_t stream);  // 8 each
void bfloats(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y, int n,
             cudaStream_t stream);  // 6 each
void half_pairs(const __half2* a, const __half2* b, __half2* y, int n, cudaStream_t stream);

// device_memory.cu
cudaError_t set_table(const float* values, int n);
cudaError_t set_scale(float scale);
cudaError_t get_counter(unsigned* value);
void use_globals(const int* index, float* y, int n, cudaStream_t stream);
void local_arrays(const int* x, int* y, int n, cudaStream_t stream);
void function_pointers(const float* x, float* y, int which, int n, cudaStream_t stream);
void recursion(const int* x, int* y, int n, cudaStream_t stream);
void dynamic_shared(const float* x, float* y, int n, int bytes, cudaStream_t stream);
cudaError_t allow_dynamic_shared(int bytes);
void print_line(int value, cudaStream_t stream);

// faults.cu: each has a mistake that the card must catch.
void read_past_end(const float* x, float* y, int n, int extra, cudaStream_t stream);
void forgotten_barrier(const float* x, float* y, cudaStream_t stream);
void forgotten_syncwarp(const float* x, float* y, cudaStream_t stream);
void barrier_in_branch(float* y, cudaStream_t stream);
void early_return_before_barrier(float* y, int n, cudaStream_t stream);
void blocks_share_a_word(float* y, cudaStream_t stream);
void shuffle_in_branch(float* y, cudaStream_t stream);
void misaligned(const char* x, float* y, cudaStream_t stream);
void shared_past_end(float* y, int index, cudaStream_t stream);
void unwritten_shared(float* y, cudaStream_t stream);
void failed_assertion(int value, cudaStream_t stream);
void spend_time(float* y, int n, cudaStream_t stream);

}  // namespace backplane::sim::kernels
