// sgd_step: its switches are constants of the loop.
#include "cpu/sgd_step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sgd_step.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

void sgd_step_f32(const Sgd& sgd, std::int64_t count, float* HWY_RESTRICT p,
                  const float* HWY_RESTRICT gradient, float* HWY_RESTRICT m) {
  const float rate = sgd.rate, decay = sgd.weight_decay;
  if (!sgd.has_momentum) {
    for (std::int64_t i = 0; i < count; ++i) p[i] -= rate * (gradient[i] + decay * p[i]);
    return;
  }
  const float momentum = sgd.momentum, fresh = 1.0f - sgd.dampening;
  const bool first = sgd.first, nesterov = sgd.nesterov;
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] + decay * p[i];
    const float moved = first ? g : momentum * m[i] + fresh * g;
    m[i] = moved;
    p[i] -= rate * (nesterov ? g + momentum * moved : moved);
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(sgd_step_f32);

void sgd_step(const Sgd& sgd, std::int64_t count, float* parameter, const float* gradient,
              float* momentum) {
  HWY_DYNAMIC_DISPATCH(sgd_step_f32)(sgd, count, parameter, gradient, momentum);
}

}  // namespace backplane::cpu
#endif
