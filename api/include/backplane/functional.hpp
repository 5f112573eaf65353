// Free functions on tensors. All operands lie on one device, the result lies there too; work goes
// to the device's current stream. Types are never promoted: the error names cast().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "backplane/plugin/ops.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

using op::Approximate;
using op::Reduction;

// Element-wise with NumPy's broadcasting. A C++ scalar takes the tensor's type; a fraction on an
// integer tensor is an Error.
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor affine(const Tensor& x, double scale, double shift);  // scale * x + shift
[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator+(const Tensor& x, double shift) { return affine(x, 1, shift); }
[[nodiscard]] inline Tensor operator*(const Tensor& x, double scale) { return affine(x, scale, 0); }

// Over the given axes, or all of them; the axes vanish unless `keep` is set.
[[nodiscard]] Tensor sum(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
[[nodiscard]] Tensor mean(const Tensor& x, std::vector<std::int64_t> axes = {}, bool keep = false);
// i64 position of the maximum along an axis, which vanishes: the first of equals, the first NaN.
[[nodiscard]] Tensor arg_max(const Tensor& x, std::int64_t axis = -1);

// Functions of each element of a floating tensor. A NaN stays NaN; the rules for zeros, infinities
// and kinks stand beside each operation in plugin/ops.hpp.
[[nodiscard]] Tensor neg(const Tensor& x);
[[nodiscard]] Tensor abs(const Tensor& x);   // gradient 0 at 0
[[nodiscard]] Tensor sign(const Tensor& x);  // -1, 0 or 1; gradient 0 everywhere
[[nodiscard]] Tensor exp(const Tensor& x);
[[nodiscard]] Tensor log(const Tensor& x);  // the natural one
[[nodiscard]] Tensor sqrt(const Tensor& x);
[[nodiscard]] Tensor rsqrt(const Tensor& x);  // 1 / sqrt(x)
[[nodiscard]] Tensor square(const Tensor& x);
[[nodiscard]] Tensor reciprocal(const Tensor& x);  // 1 / x
[[nodiscard]] inline Tensor operator-(const Tensor& x) { return neg(x); }

struct ClampOptions {
  std::optional<float> min = {}, max = {};  // one of them at least
};
// min(max(x, options.min), options.max). The gradient passes from bound to bound, both included.
[[nodiscard]] Tensor clamp(const Tensor& x, const ClampOptions& options);

// Activations. Parameters are named, and have the defaults, as in PyTorch.
[[nodiscard]] Tensor relu(const Tensor& x);
[[nodiscard]] Tensor leaky_relu(const Tensor& x, float negative_slope = 0.01f);
[[nodiscard]] Tensor elu(const Tensor& x, float alpha = 1);
[[nodiscard]] Tensor sigmoid(const Tensor& x);
[[nodiscard]] Tensor tanh(const Tensor& x);
// x * P(X <= x) of a normal X: exact, or by the tanh formula of Hendrycks and Gimpel.
[[nodiscard]] Tensor gelu(const Tensor& x, Approximate approximate = Approximate::none);
[[nodiscard]] Tensor silu(const Tensor& x);  // x * sigmoid(x)
// ln(1 + e^(beta * x)) / beta, and x itself where beta * x > threshold. beta is above 0.
[[nodiscard]] Tensor softplus(const Tensor& x, float beta = 1, float threshold = 20);
[[nodiscard]] Tensor softmax(const Tensor& x, std::int64_t axis = -1);
[[nodiscard]] Tensor log_softmax(const Tensor& x, std::int64_t axis = -1);

// a[M,K] b[K,N] (+ bias[N]) -> [M,N].
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b, const Tensor& bias = {});
// x[N,in] weight[out,in] (+ bias[out]) -> [N,out].
[[nodiscard]] Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

// One number for both axes, or {rows, columns}.
struct Size2d {
  std::int32_t rows, columns;
  constexpr Size2d(std::int32_t both) : rows(both), columns(both) {}  // NOLINT: {.kernel = 3}
  constexpr Size2d(std::int32_t r, std::int32_t c) : rows(r), columns(c) {}
};
// One number, {rows, columns}, or {top, left, bottom, right}.
struct Padding2d {
  std::int32_t top, left, bottom, right;
  constexpr Padding2d(std::int32_t all) : top(all), left(all), bottom(all), right(all) {}  // NOLINT
  constexpr Padding2d(std::int32_t r, std::int32_t c) : top(r), left(c), bottom(r), right(c) {}
  constexpr Padding2d(std::int32_t t, std::int32_t l, std::int32_t b, std::int32_t r)
      : top(t), left(l), bottom(b), right(r) {}
};

struct Conv2dOptions {
  Size2d stride = 1;
  Padding2d padding = 0;
  Size2d dilation = 1;
  std::int32_t groups = 1;
};
// x[N,C,H,W] weight[O,C/groups,KH,KW] (+ bias[O]) -> [N,O,OH,OW].
[[nodiscard]] Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            const Conv2dOptions& options = {});

struct MaxPool2dOptions {
  Size2d kernel = 2;
  std::optional<Size2d> stride = {};  // default: the kernel
  Padding2d padding = 0;
  Size2d dilation = 1;
};
[[nodiscard]] Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options = {});
// Also which element won in each window (its row * KW + column; u8, or u16 above 254 taps).
[[nodiscard]] std::pair<Tensor, Tensor> max_pool2d_with_winners(
    const Tensor& x, const MaxPool2dOptions& options = {});

// Drops elements (dropout) or whole channels of a sample (dropout2d) with probability p in [0, 1)
// and scales the rest by 1 / (1 - p). Not training: x itself. Masks follow random.hpp.
[[nodiscard]] Tensor dropout(const Tensor& x, float p = 0.5f, bool training = true);
[[nodiscard]] Tensor dropout2d(const Tensor& x, float p = 0.5f, bool training = true);

// logits[N,C], labels i64[N]. A label outside [0, C) is an Error(out_of_range) that names the sample,
// thrown at the next host wait; optimizer steps before it change nothing.
[[nodiscard]] Tensor cross_entropy(const Tensor& logits, const Tensor& labels,
                                   Reduction reduction = Reduction::mean);
[[nodiscard]] Tensor mse_loss(const Tensor& x, const Tensor& target,
                              Reduction reduction = Reduction::mean);

// Converts the element type by the rules of op::Copy.
[[nodiscard]] Tensor cast(const Tensor& x, DType type);
// x u8[N,C,...] -> f32: (x / 255 - mean) / deviation, one mean and deviation for each channel.
[[nodiscard]] Tensor normalize(const Tensor& x, const Tensor& mean, const Tensor& deviation);

}  // namespace backplane
