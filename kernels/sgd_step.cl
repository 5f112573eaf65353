// sgd_step: one step of gradient descent on one parameter tensor. Skipped while the queue's error
// record is set.
#include "nest.h"

// A parameter and its momentum, before and after.
typedef struct SgdState {
  float p, m;
} SgdState;

FN SgdState sgd_update(SgdState state, float gradient, SgdScalars s) {
  const float g = fma(s.weight_decay, state.p, gradient);
  float direction = g;
  if (s.has_momentum) {
    state.m = s.first ? g : s.momentum * state.m + (1.0f - s.dampening) * g;
    direction = s.nesterov ? g + s.momentum * state.m : state.m;
  }
  state.p -= s.rate * direction;
  return state;
}

// Operands of the nest: parameter, gradient, momentum.
KERNEL(sgd_step, Nest nest, SgdScalars scalars, DST(parameter), SRC(gradient), DST(momentum),
       SRC(record)) {
  if (SRC_AS(Fault, record)->code != 0) return;
  FOR_EACH(i, nest.count) {
    const Places at = locate(&nest, i, 3);
    SgdState state;
    state.p = DST_AS(float, parameter)[at.at[0]];
    state.m = scalars.has_momentum ? DST_AS(float, momentum)[at.at[2]] : 0.0f;
    state = sgd_update(state, SRC_AS(float, gradient)[at.at[1]], scalars);
    DST_AS(float, parameter)[at.at[0]] = state.p;
    if (scalars.has_momentum) DST_AS(float, momentum)[at.at[2]] = state.m;
  }
}
