// mse: what the loss and its gradient do with each element.
#include "cpu/mse.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/mse.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

struct SquaredDifference {
  HWY_INLINE float operator()(float x, float target) const {
    const double difference = static_cast<double>(x) - static_cast<double>(target);
    return static_cast<float>(difference * difference);
  }
};

void squared_difference_f32(Plane plane, Strided<const float> src, Strided<const float> target,
                            Strided<float> dst) {
  map(plane, SquaredDifference(), dst, src, target);
}

// Sixteen sums side by side, in the same order on every instruction set.
double squared_difference_sum_f32(Plane plane, Strided<const float> src,
                                  Strided<const float> target) {
  constexpr int lanes = 16;
  double sums[lanes] = {};
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const float* x = src.data + row * src.row_stride;
    const float* t = target.data + row * target.row_stride;
    std::int64_t i = 0;
    for (; i + lanes <= plane.count; i += lanes) {
      for (int lane = 0; lane < lanes; ++lane) {
        const double difference = static_cast<double>(x[(i + lane) * src.stride]) -
                                  static_cast<double>(t[(i + lane) * target.stride]);
        sums[lane] += difference * difference;
      }
    }
    for (; i < plane.count; ++i) {
      const double difference =
          static_cast<double>(x[i * src.stride]) - static_cast<double>(t[i * target.stride]);
      sums[0] += difference * difference;
    }
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

void squared_difference_backward_f32(Plane plane, double scale, Strided<const float> diff_dst,
                                     Strided<const float> src, Strided<const float> target,
                                     Strided<float> diff_src) {
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const float* dy = diff_dst.data + row * diff_dst.row_stride;
    const float* x = src.data + row * src.row_stride;
    const float* t = target.data + row * target.row_stride;
    float* dx = diff_src.data + row * diff_src.row_stride;
    for (std::int64_t i = 0; i < plane.count; ++i) {
      const double difference =
          static_cast<double>(x[i * src.stride]) - static_cast<double>(t[i * target.stride]);
      dx[i * diff_src.stride] =
          static_cast<float>(scale * difference * static_cast<double>(dy[i * diff_dst.stride]));
    }
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(squared_difference_f32);
HWY_EXPORT(squared_difference_sum_f32);
HWY_EXPORT(squared_difference_backward_f32);

void squared_difference(Plane plane, Strided<const float> src, Strided<const float> target,
                        Strided<float> dst) {
  HWY_DYNAMIC_DISPATCH(squared_difference_f32)(plane, src, target, dst);
}

double squared_difference_sum(Plane plane, Strided<const float> src, Strided<const float> target) {
  return HWY_DYNAMIC_DISPATCH(squared_difference_sum_f32)(plane, src, target);
}

void squared_difference_backward(Plane plane, double scale, Strided<const float> diff_dst,
                                 Strided<const float> src, Strided<const float> target,
                                 Strided<float> diff_src) {
  HWY_DYNAMIC_DISPATCH(squared_difference_backward_f32)
  (plane, scale, diff_dst, src, target, diff_src);
}

}  // namespace backplane::cpu
#endif
