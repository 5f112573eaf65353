// rmsprop_step: one step of RMSprop on one parameter tensor. Skipped while the queue's error record
// is set.
#include "nest.h"

// A parameter, its second and first moment and its momentum, before and after.
typedef struct RmspropState {
  float p, v, a, m;
} RmspropState;

FN RmspropState rmsprop_update(RmspropState state, float gradient, RmspropScalars s) {
  const float g = fma(s.weight_decay, state.p, gradient);
  state.v = s.alpha * state.v + (1.0f - s.alpha) * g * g;
  float variance = state.v;
  if (s.centered) {
    state.a = s.alpha * state.a + (1.0f - s.alpha) * g;
    variance = fma(-state.a, state.a, state.v);
  }
  const float direction = g / (sqrt(variance < 0.0f ? 0.0f : variance) + s.epsilon);
  state.m = s.has_momentum ? s.momentum * state.m + direction : direction;
  state.p -= s.rate * state.m;
  return state;
}

// Operands of the nest: parameter, gradient, second moment, then first moment and momentum as far
// as the scalars say that there are any.
KERNEL(rmsprop_step, Nest nest, RmspropScalars scalars, DST(parameter), SRC(gradient), DST(second),
       DST(first), DST(momentum), SRC(record)) {
  if (SRC_AS(Fault, record)->code != 0) return;
  FOR_EACH(i, nest.count) {
    const Places at = locate(&nest, i, 5);
    const i64 momentum_at = scalars.centered ? at.at[4] : at.at[3];
    RmspropState state;
    state.p = DST_AS(float, parameter)[at.at[0]];
    state.v = DST_AS(float, second)[at.at[2]];
    state.a = scalars.centered ? DST_AS(float, first)[at.at[3]] : 0.0f;
    state.m = scalars.has_momentum ? DST_AS(float, momentum)[momentum_at] : 0.0f;
    state = rmsprop_update(state, SRC_AS(float, gradient)[at.at[1]], scalars);
    DST_AS(float, parameter)[at.at[0]] = state.p;
    DST_AS(float, second)[at.at[2]] = state.v;
    if (scalars.centered) DST_AS(float, first)[at.at[3]] = state.a;
    if (scalars.has_momentum) DST_AS(float, momentum)[momentum_at] = state.m;
  }
}
