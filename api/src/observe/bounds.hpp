// How far a correct device may be from the reference, for each element of each output.
//
// The standard model: fl(a op b) = (a op b)(1 + d) + e with |d| <= u and |e| below the smallest
// normal number, which also allows a device to flush denormals (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., sections 2.2 and 2.8). A sum of n products in any order then obeys
//
//     |computed - exact| <= g(n) * u * sum |a_i * b_i|,   g(n) = n              (ch. 3.1, 4.2)
//
// and, rounding errors being as good as independent, g(n) = 8 * sqrt(n) with a probability beyond
// 1 - 2 exp(-32) (section 2.8's rule of thumb; proved by Higham and Mary, SIAM J. Sci. Comput.
// 41(5), 2019). The smaller of the two is used: with g(n) = n a long sum could lose half its digits
// unseen.
//
// Even so a bound of long sums is wide (TF32 passes from about a thousand terms on), so cases that
// are to tell arithmetics apart have short ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backplane/device.hpp"
#include "backplane/operation.hpp"
#include "backplane/tensor.hpp"

namespace backplane::detail {

// All tensors are contiguous on the host; `previous` where adds_to has a bit.
struct BoundRequest {
  const Operation& operation;
  std::span<const Tensor> inputs, expected;
  std::uint32_t adds_to = 0;
  std::span<const Tensor> previous = {};
  Numerics numerics = Numerics::strict;
};

// One list for each output. A bound of 0 demands the same bits, the sign of zero included; every
// bound of an operation that rounds is above 0. Integer outputs: 0.
using Bounds = std::vector<std::vector<double>>;
[[nodiscard]] Bounds error_bounds(const BoundRequest& request);

// g(n) above.
[[nodiscard]] double growth(double terms);

// What one rounding costs in outputs of a type; half types are accumulated in f32.
struct Precision {
  double unit;   // u of the arithmetic
  double store;  // u of a narrower output, else 0
  double tiny;   // the smallest normal number
};
[[nodiscard]] Precision precision_of(DType type);

// Roundings, in units of u, of exp, log and cos: four units in the last place.
inline constexpr double elementary = 8;

// Where every output is a product of rounded factors or a sum of terms of one sign: `roundings` in
// all.
[[nodiscard]] Bounds relative(const BoundRequest& request, double roundings);

// g(n) * u * sum of magnitudes, for sums of products.
[[nodiscard]] Bounds linear_bounds(const BoundRequest& request);

// Convolutions, by whichever algorithm the level allows; see bounds_winograd.cpp.
[[nodiscard]] Bounds conv2d_bounds(const BoundRequest& request, const op::Conv2dParams& params);
[[nodiscard]] Bounds conv2d_backward_data_bounds(const BoundRequest& request);

// For functions of one element, and quotients and powers; see bounds_elementwise.cpp for each one's
// reason.
[[nodiscard]] Bounds div_bounds(const BoundRequest& request);
[[nodiscard]] Bounds pow_bounds(const BoundRequest& request);
[[nodiscard]] Bounds square_bounds(const BoundRequest& request);
[[nodiscard]] Bounds elementary_bounds(const BoundRequest& request);  // exp, log, sqrt
[[nodiscard]] Bounds rsqrt_bounds(const BoundRequest& request);
[[nodiscard]] Bounds reciprocal_bounds(const BoundRequest& request);
[[nodiscard]] Bounds leaky_relu_bounds(const BoundRequest& request);
[[nodiscard]] Bounds elu_bounds(const BoundRequest& request);
[[nodiscard]] Bounds elu_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds sigmoid_bounds(const BoundRequest& request);
[[nodiscard]] Bounds sigmoid_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds tanh_bounds(const BoundRequest& request);
[[nodiscard]] Bounds tanh_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds gelu_bounds(const BoundRequest& request);
[[nodiscard]] Bounds gelu_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds silu_bounds(const BoundRequest& request);
[[nodiscard]] Bounds silu_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds softplus_bounds(const BoundRequest& request);
[[nodiscard]] Bounds softplus_backward_bounds(const BoundRequest& request);

// The families that aren't linear, each derived in its own file.
[[nodiscard]] Bounds softmax_bounds(const BoundRequest& request);
[[nodiscard]] Bounds softmax_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds log_softmax_bounds(const BoundRequest& request);
[[nodiscard]] Bounds log_softmax_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds standardize_bounds(const BoundRequest& request);
[[nodiscard]] Bounds standardize_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds cross_entropy_bounds(const BoundRequest& request);
[[nodiscard]] Bounds cross_entropy_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds mse_bounds(const BoundRequest& request);
[[nodiscard]] Bounds l1_bounds(const BoundRequest& request);
[[nodiscard]] Bounds huber_bounds(const BoundRequest& request);
[[nodiscard]] Bounds bce_with_logits_bounds(const BoundRequest& request);
[[nodiscard]] Bounds bce_with_logits_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds kl_div_bounds(const BoundRequest& request);
[[nodiscard]] Bounds pair_loss_backward_bounds(const BoundRequest& request);  // all but bce's
[[nodiscard]] Bounds nll_bounds(const BoundRequest& request);
[[nodiscard]] Bounds nll_backward_bounds(const BoundRequest& request);
[[nodiscard]] Bounds sgd_step_bounds(const BoundRequest& request);
[[nodiscard]] Bounds adam_step_bounds(const BoundRequest& request);
[[nodiscard]] Bounds rmsprop_step_bounds(const BoundRequest& request);
[[nodiscard]] Bounds gradient_norm_bounds(const BoundRequest& request);
[[nodiscard]] Bounds conv2d_activation_bounds(const BoundRequest& request);
[[nodiscard]] Bounds matmul_activation_bounds(const BoundRequest& request);
[[nodiscard]] Bounds conv2d_relu_max_pool_bounds(const BoundRequest& request);
[[nodiscard]] Bounds conv2d_relu_max_pool_backward_data_bounds(const BoundRequest& request);
[[nodiscard]] Bounds clip_by_norm_bounds(const BoundRequest& request);

}  // namespace backplane::detail
