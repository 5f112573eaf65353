// adam_step: one step of Adam or AdamW on one parameter tensor. Skipped while the queue's error
// record is set.
#include "nest.h"

// A parameter and its moments, before and after.
typedef struct AdamState {
  float p, m, v;
} AdamState;

FN AdamState adam_update(AdamState state, float gradient, AdamScalars s) {
  float g = gradient;
  if (s.decoupled) {
    state.p *= 1.0f - s.rate * s.weight_decay;
  } else {
    g = fma(s.weight_decay, state.p, gradient);
  }
  state.m = s.beta1 * state.m + (1.0f - s.beta1) * g;
  state.v = s.beta2 * state.v + (1.0f - s.beta2) * g * g;
  state.p -= s.rate / s.correction1 * state.m / (sqrt(state.v / s.correction2) + s.epsilon);
  return state;
}

// Operands of the nest: parameter, gradient, first moment, second moment.
KERNEL(adam_step, Nest nest, AdamScalars scalars, DST(parameter), SRC(gradient), DST(first),
       DST(second), SRC(record)) {
  if (SRC_AS(Fault, record)->code != 0) return;
  FOR_EACH(i, nest.count) {
    const Places at = locate(&nest, i, 4);
    AdamState state;
    state.p = DST_AS(float, parameter)[at.at[0]];
    state.m = DST_AS(float, first)[at.at[2]];
    state.v = DST_AS(float, second)[at.at[3]];
    state = adam_update(state, SRC_AS(float, gradient)[at.at[1]], scalars);
    DST_AS(float, parameter)[at.at[0]] = state.p;
    DST_AS(float, first)[at.at[2]] = state.m;
    DST_AS(float, second)[at.at[3]] = state.v;
  }
}
