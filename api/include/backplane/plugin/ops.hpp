// Every operation that crosses the border: one plain struct of 32-bit fields, and one row.
//
// A tensor's shape is never in a struct, only what its shapes don't say. What changes from step to
// step is in `Scalars` (copied at each run), so that it never makes a new plan. Notation: N samples,
// C channels, H rows, W columns; dy is the gradient of the loss with respect to y. Broadcasting is
// done by the caller through strides of 0: operands of one element-wise operation have equal dims.
#pragma once

#include <cstdint>

namespace backplane::op {

// How the per-element losses become the result.
enum class Reduction : std::uint32_t { mean = 0, sum = 1, none = 2 };

// Where a draw of random numbers starts; see philox.hpp for what each draw means.
struct PhiloxScalars {
  std::uint32_t seed_low, seed_high, site, step, first_sample;
};

// x -> y of equal dims. Converts type and layout. Float to float rounds to nearest even; float to
// integer truncates towards zero and saturates, NaN gives 0; integer to integer wraps.
struct Copy {};

// -> y, every element `value` converted as Copy does.
struct Fill {
  struct Scalars {
    double value;
  };
};

// a, b -> y = a + b.
struct Add {};

// a, b -> y = a * b.
struct Mul {};

// x -> y = scale * x + shift, rounded once.
struct Affine {
  struct Scalars {
    double scale, shift;
  };
};

// x -> y, the sum over the axes whose bit is set; those dims are 1 in y. An empty sum is 0.
struct Sum {
  std::uint32_t axes;
};

// x -> y, as Sum, divided by the number of summed elements. An empty mean is NaN.
struct Mean {
  std::uint32_t axes;
};

// x -> y = max(x, 0); NaN stays NaN, -0 becomes +0.
struct Relu {};

// dy, y -> dx = dy where not (y <= 0), else +0.
struct ReluBackward {};

// a[M,K], b[K,N], (bias[N]) -> y[M,N]. Transposed operands come as strides.
struct Matmul {};

// Rows then columns; padding: top, left, bottom, right.
struct Conv2dParams {
  std::int32_t stride[2], padding[4], dilation[2], groups;
};

// input[N,C,H,W], weight[O,C/groups,KH,KW], (bias[O]) -> y[N,O,OH,OW]. Cross-correlation; padding
// counts as zeros, and a device may multiply by them or leave them out: whether a weight that isn't
// finite makes a NaN over padding is left to it.
// OH = (H + top + bottom - dilation * (KH - 1) - 1) / stride + 1, rounded down.
struct Conv2d : Conv2dParams {};

// dy[N,O,OH,OW], weight -> dx[N,C,H,W].
struct Conv2dBackwardData : Conv2dParams {};

// input, dy -> dweight, (dbias[O]).
struct Conv2dBackwardWeight : Conv2dParams {};

// Rows then columns; padding: top, left, bottom, right.
struct MaxPool2dParams {
  std::int32_t kernel[2], stride[2], padding[4], dilation[2];
};

// x[N,C,H,W] -> y[N,C,OH,OW], winners[N,C,OH,OW]. A winner is the position row * KW + column in
// its window (u8; u16 above 254 taps); the first of equals wins, a NaN wins over everything, padding
// never wins; all ones: the window has no element in the input (y is then -inf).
struct MaxPool2d : MaxPool2dParams {};

// dy, winners -> dx[N,C,H,W]: each dy is added where its winner stood.
struct MaxPool2dBackward : MaxPool2dParams {};

// x -> y = x / (1 - p) where kept, +0 where dropped. Element e of sample s (dims[0] counts samples,
// e in row-major order) is kept if uniform(draw of (e, s)) >= p. Linear: it is its own backward.
struct Dropout {
  float p;
  using Scalars = PhiloxScalars;
};

// As Dropout, but one draw for each channel (dims[1]) of a sample: e is the channel.
struct Dropout2d {
  float p;
  using Scalars = PhiloxScalars;
};

// x -> y = exp(x - max) / sum(exp(x - max)) along one axis.
struct Softmax {
  std::int32_t axis;
};

// dy, y -> dx = y * (dy - sum(dy * y)).
struct SoftmaxBackward {
  std::int32_t axis;
};

// x -> y = x - max - log(sum(exp(x - max))) along one axis.
struct LogSoftmax {
  std::int32_t axis;
};

// dy, y -> dx = dy - exp(y) * sum(dy).
struct LogSoftmaxBackward {
  std::int32_t axis;
};

// logits[N,C], labels i64[N] -> loss ([] or, reduction none, [N]), log_probabilities[N,C].
// A label outside [0, C) writes the error record (index: the sample) and counts as loss 0.
struct CrossEntropy {
  Reduction reduction;
};

// dloss, log_probabilities, labels -> dlogits = (exp(log_p) - one_hot) * dloss (/ N for mean).
// A label out of range gives a row of zeros.
struct CrossEntropyBackward {
  Reduction reduction;
};

// x, target -> loss ([] or, reduction none, the dims of x) of (x - target)^2.
struct Mse {
  Reduction reduction;
};

// dloss, x, target -> dx = 2 * (x - target) * dloss (/ count for mean).
struct MseBackward {
  Reduction reduction;
};

// x -> i64 position of the maximum along one axis (dim 1 in y); the first of equals, the first NaN.
struct ArgMax {
  std::int32_t axis;
};

// -> y, element i (row-major) = fma(uniform(draw of (i, 0)), high - low, low).
struct Uniform {
  struct Scalars {
    PhiloxScalars draw;
    float low, high;
  };
};

// -> y, element i = mean + deviation * normal(draw of (i, 0)).
struct Normal {
  struct Scalars {
    PhiloxScalars draw;
    float mean, deviation;
  };
};

// x u8[N,C,...], mean f32[C], deviation f32[C] -> f32: (x / 255 - mean) / deviation, computed in
// double and rounded once, so that it is the same on every device.
struct Normalize {};

// Multi-tensor: inputs are `count` parameters, then as many gradients, then (momentum set) as many
// momentum buffers; outputs are the parameters, then the momentum buffers, the same memory as the
// inputs. g += weight_decay * p; m = momentum * m + (1 - dampening) * g (m = g when `first`);
// p -= rate * (nesterov ? g + momentum * m : m). Skipped while the queue's error record is set.
struct SgdStep {
  std::uint32_t count, momentum, nesterov;
  struct Scalars {
    float rate, momentum, dampening, weight_decay;
    std::uint32_t first;
  };
};

// Multi-tensor: inputs are parameters, gradients, first moments, second moments (`count` each);
// outputs are parameters, first and second moments, the same memory. Kingma and Ba 2015, with
// correction1 = 1 - beta1^t and correction2 = 1 - beta2^t: m = beta1 m + (1 - beta1) g;
// v = beta2 v + (1 - beta2) g^2; p -= rate / correction1 * m / (sqrt(v / correction2) + epsilon).
// weight_decay adds weight_decay * p to g, or, decoupled (Loshchilov and Hutter 2019), first
// scales p by 1 - rate * weight_decay. Skipped while the queue's error record is set.
struct AdamStep {
  std::uint32_t count, decoupled;
  struct Scalars {
    float rate, beta1, beta2, epsilon, weight_decay, correction1, correction2;
  };
};

// Functions of one element. A NaN gives a NaN in all of them; zeros and infinities give what
// IEEE 754 makes of the formula, where nothing else is said.

// x -> y = -x.
struct Neg {};

// x -> y = |x|.
struct Abs {};

// dy, x -> dx = dy where x > 0, -dy where x < 0, +0 where x is 0, NaN where x is NaN.
struct AbsBackward {};

// x -> y = 1 where x > 0, -1 where x < 0, +0 where x is 0 of either sign; NaN stays NaN, as in
// NumPy (PyTorch makes it 0).
struct Sign {};

// x -> y = e^x.
struct Exp {};

// x -> y = ln(x): -inf for 0 of either sign, NaN below.
struct Log {};

// x -> y = sqrt(x): NaN below 0, but -0 stays.
struct Sqrt {};

// x -> y = 1 / sqrt(x): -inf for -0.
struct Rsqrt {};

// x -> y = x * x.
struct Square {};

// x -> y = 1 / x.
struct Reciprocal {};

// Where there is no bound: -inf, +inf. Neither is NaN.
struct ClampParams {
  float min, max;
};

// x -> y, raised to min where it is below, then lowered to max: `max` everywhere if that is smaller.
// What is in between stays as it is, -0 and NaN included.
struct Clamp : ClampParams {};

// dy, x -> dx = +0 where x < min or x > max, else dy: the bounds themselves pass it, and so does a
// NaN (in PyTorch it doesn't).
struct ClampBackward : ClampParams {};

struct LeakyReluParams {
  float negative_slope;
};

// x -> y = x where x > 0, else negative_slope * x.
struct LeakyRelu : LeakyReluParams {};

// dy, x -> dx = negative_slope * dy where x <= 0, else dy.
struct LeakyReluBackward : LeakyReluParams {};

struct EluParams {
  float alpha;
};

// x -> y = alpha * (e^x - 1) where x < 0, else x (Clevert et al. 2016).
struct Elu : EluParams {};

// dy, x -> dx = dy where x > 0, else dy * alpha * e^x.
struct EluBackward : EluParams {};

// x -> y = 1 / (1 + e^-x).
struct Sigmoid {};

// dy, y -> dx = dy * y * (1 - y).
struct SigmoidBackward {};

// x -> y = tanh(x).
struct Tanh {};

// dy, y -> dx = dy * (1 - y) * (1 + y).
struct TanhBackward {};

// Of gelu's distribution function: none is exact, tanh is the formula of the paper.
enum class Approximate : std::uint32_t { none = 0, tanh = 1 };

struct GeluParams {
  Approximate approximate;
};

// x -> y = x * P(x) (Hendrycks and Gimpel 2016), where P is the normal distribution function,
// P(x) = erfc(-x / sqrt(2)) / 2, or with `tanh`
// P(x) = (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2. -inf gives NaN: it is inf * 0.
struct Gelu : GeluParams {};

// dy, x -> dx = dy * (P(x) + x * P'(x)). Where P' has underflowed to 0 its term is absent, so that
// +inf gives dy and -inf gives dy * 0.
struct GeluBackward : GeluParams {};

// x -> y = x * s, with s = 1 / (1 + e^-x). -inf gives NaN: it is inf * 0.
struct Silu {};

// dy, x -> dx = dy * (s + x * s * (1 - s)), the second term absent as in GeluBackward.
struct SiluBackward {};

// beta is above 0.
struct SoftplusParams {
  float beta, threshold;
};

// x -> y = x where beta * x > threshold, else ln(1 + e^(beta * x)) / beta.
struct Softplus : SoftplusParams {};

// dy, x -> dx = dy where beta * x > threshold, else dy / (1 + e^(-beta * x)).
struct SoftplusBackward : SoftplusParams {};

// What one row says: inputs and outputs are the most that may come (0 with `variadic` set: as many
// as the struct's count asks for); adds_to has a bit for each output that can be added to instead of
// overwritten; in_place: output 0 may be the memory of input 0.
struct Row {
  const char* name;
  std::uint32_t id, inputs, outputs, adds_to;
  bool in_place, variadic;
};

// An id is never used again. The name is the one spelling, of messages, kernels and most files.
//  struct                  name                    id  in out adds place variadic
#define BACKPLANE_OPS(row)                                                      \
  row(Copy,                 copy,                    1, 1, 1, 1, false, false)  \
  row(Fill,                 fill,                    2, 0, 1, 0, false, false)  \
  row(Add,                  add,                     3, 2, 1, 0, true,  false)  \
  row(Mul,                  mul,                     4, 2, 1, 0, true,  false)  \
  row(Affine,               affine,                  5, 1, 1, 0, true,  false)  \
  row(Sum,                  sum,                     6, 1, 1, 1, false, false)  \
  row(Mean,                 mean,                    7, 1, 1, 0, false, false)  \
  row(Relu,                 relu,                    8, 1, 1, 0, true,  false)  \
  row(ReluBackward,         relu_backward,           9, 2, 1, 0, true,  false)  \
  row(Matmul,               matmul,                 10, 3, 1, 1, false, false)  \
  row(Conv2d,               conv2d,                 11, 3, 1, 0, false, false)  \
  row(Conv2dBackwardData,   conv2d_backward_data,   12, 2, 1, 0, false, false)  \
  row(Conv2dBackwardWeight, conv2d_backward_weight, 13, 2, 2, 3, false, false)  \
  row(MaxPool2d,            max_pool2d,             14, 1, 2, 0, false, false)  \
  row(MaxPool2dBackward,    max_pool2d_backward,    15, 2, 1, 0, false, false)  \
  row(Dropout,              dropout,                16, 1, 1, 0, true,  false)  \
  row(Dropout2d,            dropout2d,              17, 1, 1, 0, true,  false)  \
  row(Softmax,              softmax,                18, 1, 1, 0, false, false)  \
  row(SoftmaxBackward,      softmax_backward,       19, 2, 1, 0, false, false)  \
  row(LogSoftmax,           log_softmax,            20, 1, 1, 0, false, false)  \
  row(LogSoftmaxBackward,   log_softmax_backward,   21, 2, 1, 0, false, false)  \
  row(CrossEntropy,         cross_entropy,          22, 2, 2, 0, false, false)  \
  row(CrossEntropyBackward, cross_entropy_backward, 23, 3, 1, 0, false, false)  \
  row(Mse,                  mse,                    24, 2, 1, 0, false, false)  \
  row(MseBackward,          mse_backward,           25, 3, 1, 0, false, false)  \
  row(ArgMax,               arg_max,                26, 1, 1, 0, false, false)  \
  row(Uniform,              uniform,                27, 0, 1, 0, false, false)  \
  row(Normal,               normal,                 28, 0, 1, 0, false, false)  \
  row(Normalize,            normalize,              29, 3, 1, 0, false, false)  \
  row(SgdStep,              sgd_step,               30, 0, 0, 0, true,  true)   \
  row(AdamStep,             adam_step,              31, 0, 0, 0, true,  true)   \
  row(Neg,                  neg,                    32, 1, 1, 0, true,  false)  \
  row(Abs,                  abs,                    33, 1, 1, 0, true,  false)  \
  row(AbsBackward,          abs_backward,           34, 2, 1, 0, true,  false)  \
  row(Sign,                 sign,                   35, 1, 1, 0, true,  false)  \
  row(Exp,                  exp,                    36, 1, 1, 0, true,  false)  \
  row(Log,                  log,                    37, 1, 1, 0, true,  false)  \
  row(Sqrt,                 sqrt,                   38, 1, 1, 0, true,  false)  \
  row(Rsqrt,                rsqrt,                  39, 1, 1, 0, true,  false)  \
  row(Square,               square,                 40, 1, 1, 0, true,  false)  \
  row(Reciprocal,           reciprocal,             41, 1, 1, 0, true,  false)  \
  row(Clamp,                clamp,                  42, 1, 1, 0, true,  false)  \
  row(ClampBackward,        clamp_backward,         43, 2, 1, 0, true,  false)  \
  row(LeakyRelu,            leaky_relu,             44, 1, 1, 0, true,  false)  \
  row(LeakyReluBackward,    leaky_relu_backward,    45, 2, 1, 0, true,  false)  \
  row(Elu,                  elu,                    46, 1, 1, 0, true,  false)  \
  row(EluBackward,          elu_backward,           47, 2, 1, 0, true,  false)  \
  row(Sigmoid,              sigmoid,                48, 1, 1, 0, true,  false)  \
  row(SigmoidBackward,      sigmoid_backward,       49, 2, 1, 0, true,  false)  \
  row(Tanh,                 tanh,                   50, 1, 1, 0, true,  false)  \
  row(TanhBackward,         tanh_backward,          51, 2, 1, 0, true,  false)  \
  row(Gelu,                 gelu,                   52, 1, 1, 0, true,  false)  \
  row(GeluBackward,         gelu_backward,          53, 2, 1, 0, true,  false)  \
  row(Silu,                 silu,                   54, 1, 1, 0, true,  false)  \
  row(SiluBackward,         silu_backward,          55, 2, 1, 0, true,  false)  \
  row(Softplus,             softplus,               56, 1, 1, 0, true,  false)  \
  row(SoftplusBackward,     softplus_backward,      57, 2, 1, 0, true,  false)

// The row of one struct, and the row of an id (null: unknown).
template <class Op>
inline constexpr Row row_of{};

#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic) \
  template <>                                                       \
  inline constexpr Row row_of<Op>{#name, id, in, out, adds, place, variadic};
BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

constexpr const Row* find_row(std::uint32_t id) {
  switch (id) {
#define BACKPLANE_ROW(Op, name, number, in, out, adds, place, variadic) \
  case number:                                                          \
    return &row_of<Op>;
    BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
  }
  return nullptr;
}

}  // namespace backplane::op
