// rmsprop_step: one pass over the arrays; its switches are constants of the loop.
#include "cpu/rmsprop_step.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/rmsprop_step.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <bool centered, bool has_momentum>
HWY_INLINE void steps(const Rmsprop& rmsprop, std::int64_t count, float* HWY_RESTRICT p,
                      const float* HWY_RESTRICT gradient, float* HWY_RESTRICT v,
                      float* HWY_RESTRICT a, float* HWY_RESTRICT m) {
  const Rmsprop s = rmsprop;
  const float fresh = 1.0f - s.alpha;
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] + s.weight_decay * p[i];
    v[i] = s.alpha * v[i] + fresh * g * g;
    float variance = v[i];
    if constexpr (centered) {
      a[i] = s.alpha * a[i] + fresh * g;
      variance -= a[i] * a[i];
    }
    float direction = g / (std::sqrt(variance < 0.0f ? 0.0f : variance) + s.epsilon);
    if constexpr (has_momentum) {
      direction += s.momentum * m[i];
      m[i] = direction;
    }
    p[i] -= s.rate * direction;
  }
}

void rmsprop_step_f32(const Rmsprop& rmsprop, std::int64_t count, float* p, const float* gradient,
                      float* v, float* a, float* m) {
  if (a != nullptr && m != nullptr) return steps<true, true>(rmsprop, count, p, gradient, v, a, m);
  if (a != nullptr) return steps<true, false>(rmsprop, count, p, gradient, v, a, m);
  if (m != nullptr) return steps<false, true>(rmsprop, count, p, gradient, v, a, m);
  steps<false, false>(rmsprop, count, p, gradient, v, a, m);
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(rmsprop_step_f32);

void rmsprop_step(const Rmsprop& rmsprop, std::int64_t count, float* parameter,
                  const float* gradient, float* second_moment, float* first_moment,
                  float* momentum) {
  HWY_DYNAMIC_DISPATCH(rmsprop_step_f32)
  (rmsprop, count, parameter, gradient, second_moment, first_moment, momentum);
}

}  // namespace backplane::cpu
#endif
