// Sums of squares, scaling and clamping, in loops that a compiler turns into vectors.
#include "cpu/clip.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/clip.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Sixteen sums side by side, in the same order on every instruction set.
double square_sum_f32(std::int64_t count, const float* src) {
  constexpr std::int64_t lanes = 16;
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const double element = static_cast<double>(src[i + lane]);
      sums[lane] += element * element;
    }
  }
  for (; i < count; ++i) {
    const double element = static_cast<double>(src[i]);
    sums[i % lanes] += element * element;
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

void scale_in_place_f32(std::int64_t count, float factor, float* x) {
  for (std::int64_t i = 0; i < count; ++i) x[i] *= factor;
}

void clamp_in_place_f32(std::int64_t count, float limit, float* x) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float lowered = x[i] > limit ? limit : x[i];
    x[i] = lowered < -limit ? -limit : lowered;
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(square_sum_f32);
HWY_EXPORT(scale_in_place_f32);
HWY_EXPORT(clamp_in_place_f32);

double square_sum(std::int64_t count, const float* src) {
  return HWY_DYNAMIC_DISPATCH(square_sum_f32)(count, src);
}

void scale_in_place(std::int64_t count, float factor, float* x) {
  HWY_DYNAMIC_DISPATCH(scale_in_place_f32)(count, factor, x);
}

void clamp_in_place(std::int64_t count, float limit, float* x) {
  HWY_DYNAMIC_DISPATCH(clamp_in_place_f32)(count, limit, x);
}

}  // namespace backplane::cpu
#endif
