// Integer kernels: bit tricks, wide products, division, bytes, rounding to integers.
#include "kernels/launch.cuh"

namespace backplane::sim::kernels {
namespace {

__global__ void integer_mix_kernel(const uint32_t* x, const uint32_t* z, uint32_t* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  const uint32_t a = x[i];
  const uint32_t b = z[i];
  const int s = static_cast<int>(a);
  const int t = static_cast<int>(b);
  uint32_t* y = out + static_cast<int64_t>(i) * kIntegerResults;
  y[0] = __popc(a);
  y[1] = __clz(a);
  y[2] = __brev(a);
  y[3] = __ffs(a);
  y[4] = __umulhi(a, b);
  y[5] = __mulhi(s, t);
  y[6] = __funnelshift_l(a, b, i);
  y[7] = __funnelshift_r(a, b, i);
  y[8] = __byte_perm(a, b, 0x7351);
  y[9] = a / (b | 1);
  y[10] = a % (b | 1);
  y[11] = s / (t | 1);
  y[12] = s % (t | 1);
  y[13] = abs(s);
  y[14] = min(s, t);
  y[15] = max(a, b);
  y[16] = s >> (b & 31);
  y[17] = (a & b) | (~a & y[2]);
  y[18] = (a << 7) | (a >> 25);
  y[19] = (a >> 5) & 0x7F;
  y[20] = __usad(a, b, 7u);
  y[21] = __dp4a(s, t, 3);
}

__global__ void long_mix_kernel(const int64_t* x, const int64_t* z, int64_t* out, int n) {
  const int i = global_index();
  if (i >= n) return;
  const int64_t a = x[i];
  const int64_t b = z[i];
  int64_t* y = out + static_cast<int64_t>(i) * 8;
  y[0] = a * b;
  y[1] = __mul64hi(a, b);
  y[2] = a / (b | 1);
  y[3] = a % (b | 1);
  y[4] = __popcll(a) + 100 * __clzll(a);
  y[5] = static_cast<int64_t>(__umul64hi(a, b));
  y[6] = (a >> (b & 63)) ^ (a << (b & 63));
  y[7] = __brevll(a);
}

__global__ void byte_mask_kernel(const uint8_t* x, uint8_t* mask, int16_t* wide, int n) {
  const int i = global_index();
  if (i >= n) return;
  mask[i] = x[i] > 100 ? 1 : 0;
  wide[i] = static_cast<int16_t>(static_cast<int8_t>(x[i]) * 3);
}

__global__ void rounded_kernel(const float* x, int* y, int n) {
  const int i = global_index();
  if (i >= n) return;
  y[5 * i] = __float2int_rn(x[i]);
  y[5 * i + 1] = __float2int_rz(x[i]);
  y[5 * i + 2] = __float2int_rd(x[i]);
  y[5 * i + 3] = __float2int_ru(x[i]);
  y[5 * i + 4] = static_cast<int>(roundf(x[i]));
}

}  // namespace

void integer_mix(const uint32_t* a, const uint32_t* b, uint32_t* y, int n, cudaStream_t stream) {
  integer_mix_kernel<<<blocks_for(n), kBlock, 0, stream>>>(a, b, y, n);
}
void long_mix(const int64_t* a, const int64_t* b, int64_t* y, int n, cudaStream_t stream) {
  long_mix_kernel<<<blocks_for(n), kBlock, 0, stream>>>(a, b, y, n);
}
void byte_mask(const uint8_t* x, uint8_t* mask, int16_t* wide, int n, cudaStream_t stream) {
  byte_mask_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, mask, wide, n);
}
void rounded(const float* x, int* y, int n, cudaStream_t stream) {
  rounded_kernel<<<blocks_for(n), kBlock, 0, stream>>>(x, y, n);
}

}  // namespace backplane::sim::kernels
