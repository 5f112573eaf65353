// Losses of pairs of elements, one by one or summed, and their gradients. What each one computes is
// written in the definitions of the operations.
#pragma once

#include "cpu/plane.h"

namespace backplane::cpu {

// A loss is a value that carries its parameters.
struct Mse {};
struct L1 {};
struct Huber {
  float delta;
};
struct BceWithLogits {};
struct KlDiv {
  bool log_target;
};

#define BACKPLANE_CPU_PAIR_LOSSES(row) row(Mse) row(L1) row(Huber) row(BceWithLogits) row(KlDiv)

// dst = loss(src, target).
template <class Loss>
void pair_loss(const Loss& loss, Plane plane, Strided<const float> src, Strided<const float> target,
               Strided<float> dst);

// The sum of loss(src, target), added up in double.
template <class Loss>
double pair_loss_sum(const Loss& loss, Plane plane, Strided<const float> src,
                     Strided<const float> target);

// diff_src = (the derivative of loss(src, target) by src) * (diff_dst / divisor).
template <class Loss>
void pair_loss_backward(const Loss& loss, Plane plane, float divisor, Strided<const float> diff_dst,
                        Strided<const float> src, Strided<const float> target,
                        Strided<float> diff_src);

}  // namespace backplane::cpu
