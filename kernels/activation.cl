// Activations beyond relu, each with its gradient: leaky_relu, elu, sigmoid, tanh, gelu, silu,
// softplus.
#include "elementwise.h"

KERNEL(leaky_relu_float, Nest nest, DST(y), SRC(x), i32 dtype, float slope) {
  MAP(element > 0.0f ? element : slope * element)
}

KERNEL(leaky_relu_backward_float, Nest nest, DST(dx), SRC(dy), SRC(x), i32 dtype, float slope) {
  MAP_GRADIENT(x, element <= 0.0f ? slope * gradient : gradient)
}

KERNEL(elu_float, Nest nest, DST(y), SRC(x), i32 dtype, float alpha) {
  MAP(element < 0.0f ? alpha * expm1(element) : element)
}

KERNEL(elu_backward_float, Nest nest, DST(dx), SRC(dy), SRC(x), i32 dtype, float alpha) {
  MAP_GRADIENT(x, element > 0.0f ? gradient : gradient * alpha * exp(element))
}

// What x is multiplied by, and the derivative of that.
typedef struct Gate {
  float value, slope;
} Gate;

// 1 / (1 + e^-x). By e^-|x|, which doesn't overflow: 1 - value is then as exact as the value.
FN Gate logistic_gate(float x) {
  const float e = exp(-fabs(x)), large = 1.0f / (1.0f + e), small = e * large;
  Gate gate;
  gate.value = x < 0.0f ? small : large;
  gate.slope = large * small;
  return gate;
}

// A product in which a term that has vanished is absent, even times infinity.
FN float times(float term, float factor) {
  return term == 0.0f ? 0.0f : term * factor;
}

FN Gate gelu_gate(float x, i32 by_tanh) {
  Gate gate;
  if (by_tanh) {
    // (1 + tanh(u)) / 2 = logistic(2 u), with 2 sqrt(2 / pi) = 1.5957691
    const float square = x * x;
    gate = logistic_gate(1.59576912f * x * (1.0f + 0.044715f * square));
    gate.slope = times(gate.slope, 1.59576912f * (1.0f + 0.134145f * square));
  } else {
    gate.value = 0.5f * erfc(x * -0.707106781f);
    gate.slope = 0.398942280f * exp(-0.5f * x * x);
  }
  return gate;
}

FN float gated_gradient(float gradient, float x, Gate gate) {
  return gradient * (gate.value + times(gate.slope, x));
}

KERNEL(sigmoid_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(logistic_gate(element).value)
}

KERNEL(sigmoid_backward_float, Nest nest, DST(dx), SRC(dy), SRC(y), i32 dtype) {
  MAP_GRADIENT(y, gradient * element * (1.0f - element))
}

KERNEL(tanh_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(tanh(element))
}

FN float activated(float value, i32 function) {
  if (function == ACTIVATION_RELU) return value > 0.0f || value != value ? value : 0.0f;
  if (function == ACTIVATION_SIGMOID) return logistic_gate(value).value;
  return function == ACTIVATION_TANH ? tanh(value) : value;
}

// The end of a fused operation, in f32: y = function(x + bias). Operands of the nest: y, x, bias.
KERNEL(bias_activation_float, Nest nest, DST(y), SRC(x), SRC(bias), i32 has_bias, i32 function) {
#if GROUP == 1
  // On a CPU row by row, where rows are long and have one bias.
  const i32 last = nest.rank - 1;
  const i64 length = nest.dense ? 1 : nest.dims[last];
  if (length >= 16 && nest.strides[0][last] == 1 && nest.strides[1][last] == 1 &&
      nest.strides[2][last] == 0) {
    FOR_EACH(row, nest.count / length) {
      const Places p = locate(&nest, row * length, 3);
      GLOBAL const float* from = SRC_AS(float, x) + p.at[1];
      GLOBAL float* to = DST_AS(float, y) + p.at[0];
      const float shift = has_bias ? SRC_AS(float, bias)[p.at[2]] : 0.0f;
      if (function == ACTIVATION_RELU) {
        for (i64 k = 0; k < length; ++k) to[k] = activated(from[k] + shift, ACTIVATION_RELU);
      } else {
        for (i64 k = 0; k < length; ++k) to[k] = activated(from[k] + shift, function);
      }
    }
    return;
  }
#endif
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 3);
    float value = SRC_AS(float, x)[p.at[1]];
    if (has_bias) value += SRC_AS(float, bias)[p.at[2]];
    DST_AS(float, y)[p.at[0]] = activated(value, function);
  }
}

KERNEL(tanh_backward_float, Nest nest, DST(dx), SRC(dy), SRC(y), i32 dtype) {
  MAP_GRADIENT(y, gradient * (1.0f - element) * (1.0f + element))
}

KERNEL(gelu_float, Nest nest, DST(y), SRC(x), i32 dtype, i32 by_tanh) {
  MAP(element * gelu_gate(element, by_tanh).value)
}

KERNEL(gelu_backward_float, Nest nest, DST(dx), SRC(dy), SRC(x), i32 dtype, i32 by_tanh) {
  MAP_GRADIENT(x, gated_gradient(gradient, element, gelu_gate(element, by_tanh)))
}

KERNEL(silu_float, Nest nest, DST(y), SRC(x), i32 dtype) {
  MAP(element * logistic_gate(element).value)
}

KERNEL(silu_backward_float, Nest nest, DST(dx), SRC(dy), SRC(x), i32 dtype) {
  MAP_GRADIENT(x, gated_gradient(gradient, element, logistic_gate(element)))
}

FN float soft_maximum(float z) {
  return (z > 0.0f ? z : 0.0f) + log1p(exp(-fabs(z)));
}

KERNEL(softplus_float, Nest nest, DST(y), SRC(x), i32 dtype, float beta, float threshold) {
  MAP(beta * element > threshold ? element : soft_maximum(beta * element) / beta)
}

KERNEL(softplus_backward_float, Nest nest, DST(dx), SRC(dy), SRC(x), i32 dtype, float beta,
       float threshold) {
  MAP_GRADIENT(x, beta * element > threshold
                      ? gradient
                      : gradient * logistic_gate(beta * element).value)
}
