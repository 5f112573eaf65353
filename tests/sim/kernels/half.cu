// Half and bfloat16 arithmetic, single and in pairs.
#include "kernels/launch.cuh"

namespace backplane::sim::kernels {
namespace {

__global__ void halves_kernel(const __half* x, const __half* z, __half* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  const __half a = x[i];
  const __half b = z[i];
  __half* y = out + 8 * i;
  y[0] = __hadd(a, b);
  y[1] = __hmul(a, b);
  y[2] = __hfma(a, b, a);
  y[3] = __hdiv(a, b);
  y[4] = __hgt(a, b) ? a : b;
  y[5] = __hmax(a, b);
  y[6] = hsqrt(__habs(a));
  y[7] = __float2half_rn(expf(__half2float(a)) * __half2float(b));
}

__global__ void bfloats_kernel(const __nv_bfloat16* x, const __nv_bfloat16* z, __nv_bfloat16* out,
                               int n) {
  const int i = global_index();
  if (i >= n) return;
  const __nv_bfloat16 a = x[i];
  const __nv_bfloat16 b = z[i];
  __nv_bfloat16* y = out + 6 * i;
  y[0] = __hadd(a, b);
  y[1] = __hmul(a, b);
  y[2] = __hfma(a, b, a);
  y[3] = __hlt(a, b) ? a : b;
  y[4] = __float2bfloat16_rn(__bfloat162float(a) / 3.0f);
  y[5] = __hneg(a);
}

__global__ void half_pairs_kernel(const __half2* x, const __half2* z, __half2* y, int n) {
  const int i = global_index();
  if (i >= n) return;
  const __half2 sum = __hfma2(x[i], z[i], __float2half2_rn(0.5f));
  const __half2 flipped = __lowhigh2highlow(sum);
  y[i] = __hadd2(sum, __hmul2(flipped, __floats2half2_rn(2.0f, 0.25f)));
}

}  // namespace

void halves(const __half* a, const __half* b, __half* y, int n, cudaStream_t stream) {
  halves_kernel<<<blocks_for(n), kBlock, 0, stream>>>(a, b, y, n);
}
void bfloats(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y, int n,
             cudaStream_t stream) {
  bfloats_kernel<<<blocks_for(n), kBlock, 0, stream>>>(a, b, y, n);
}
void half_pairs(const __half2* a, const __half2* b, __half2* y, int n, cudaStream_t stream) {
  half_pairs_kernel<<<blocks_for(n), kBlock, 0, stream>>>(a, b, y, n);
}

}  // namespace backplane::sim::kernels
