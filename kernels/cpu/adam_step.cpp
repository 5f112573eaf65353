// adam_step: one pass over the four arrays.
#include "cpu/adam_step.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/adam_step.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

void adam_step_f32(const Adam& adam, std::int64_t count, float* HWY_RESTRICT p,
                   const float* HWY_RESTRICT gradient, float* HWY_RESTRICT m,
                   float* HWY_RESTRICT v) {
  const float step = adam.rate / adam.correction1;
  const float decay = adam.decoupled ? 0.0f : adam.weight_decay;
  const float keep = adam.decoupled ? 1.0f - adam.rate * adam.weight_decay : 1.0f;
  const float fresh1 = 1.0f - adam.beta1, fresh2 = 1.0f - adam.beta2;
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] + decay * p[i];
    m[i] = adam.beta1 * m[i] + fresh1 * g;
    v[i] = adam.beta2 * v[i] + fresh2 * g * g;
    const float divisor = std::sqrt(v[i] / adam.correction2) + adam.epsilon;
    p[i] = keep * p[i] - step * m[i] / divisor;
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(adam_step_f32);

void adam_step(const Adam& adam, std::int64_t count, float* parameter, const float* gradient,
               float* first_moment, float* second_moment) {
  HWY_DYNAMIC_DISPATCH(adam_step_f32)
  (adam, count, parameter, gradient, first_moment, second_moment);
}

}  // namespace backplane::cpu
#endif
