// The table of error bounds, and the families that need no file of their own.
#include "observe/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "observe/magnitudes.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

double growth(double terms) {
  return std::min(terms, 8 * std::sqrt(terms));
}

Precision precision_of(DType type) {
  switch (type) {
    case DType::f64:
      return {0x1p-53, 0, 0x1p-1022};
    case DType::f16:
      return {0x1p-24, 0x1p-11, 0x1p-24};  // the spacing of its denormals
    case DType::bf16:
      return {0x1p-24, 0x1p-8, 0x1p-126};
    default:
      return {0x1p-24, 0, 0x1p-126};
  }
}

Bounds relative(const BoundRequest& request, double roundings) {
  Bounds bounds;
  for (const Tensor& output : request.expected) {
    const Precision p = precision_of(output.dtype());
    std::vector<double>& bound = bounds.emplace_back(as_doubles(output));
    for (double& value : bound) {
      value = (roundings * p.unit + 2 * p.store) * std::abs(value) + p.tiny;
    }
  }
  return bounds;
}

// The reference's own rounding adds one more.
Bounds linear_bounds(const BoundRequest& request) {
  const double constant = growth(summed_terms(request)) + 1;
  Bounds bounds = magnitudes(request);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (!is_floating(request.expected[i].dtype())) continue;
    const Precision p = precision_of(request.expected[i].dtype());
    const std::vector<double> expected = as_doubles(request.expected[i]);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      bounds[i][k] =
          constant * p.unit * bounds[i][k] + 2 * p.store * std::abs(expected[k]) + p.tiny;
    }
  }
  return bounds;
}

namespace {

// Data movement, selection, masks, and what ops.hpp defines to the last bit.
Bounds exact(const BoundRequest& request) {
  Bounds bounds;
  for (const Tensor& output : request.expected) {
    bounds.emplace_back(static_cast<std::size_t>(output.count()), 0.0);
  }
  return bounds;
}

// Exact, but a sum where it is added to its output.
Bounds copy(const BoundRequest& request) {
  return request.adds_to != 0 ? linear_bounds(request) : exact(request);
}

// One rounding of the difference itself: what cancels was exact.
Bounds difference(const BoundRequest& request) {
  return is_floating(request.expected.front().dtype()) ? relative(request, 2) : exact(request);
}

// A rounding for each factor, at least if no product on the way leaves the range of normal numbers.
Bounds prod(const BoundRequest& request) {
  if (!is_floating(request.expected.front().dtype())) return exact(request);
  return relative(request, growth(summed_terms(request)) + 1);
}

// What is dropped is +0 to the bit. What is kept is scaled by a factor that may be rounded first.
Bounds dropout(const BoundRequest& request) {
  Bounds bounds = relative(request, 3);
  const std::vector<double> expected = as_doubles(request.expected.front());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (expected[k] == 0) bounds.front()[k] = 0;
  }
  return bounds;
}

// mean + deviation * z, z within 1 ulp (2 u) of the rounded double.
Bounds normal(const BoundRequest& request) {
  op::Normal::Scalars scalars;
  std::memcpy(&scalars, request.operation.scalars().data(), sizeof scalars);
  const Precision p = precision_of(request.expected.front().dtype());
  Bounds bounds{as_doubles(request.expected.front())};
  for (double& value : bounds.front()) {
    const double spread = std::abs(value - scalars.mean);
    value = p.unit * (5 * spread + 3 * std::abs(value) + std::abs(scalars.mean)) +
            2 * p.store * std::abs(value) + p.tiny;
  }
  return bounds;
}

Bounds conv2d(const BoundRequest& request) {
  return conv2d_bounds(request, *request.operation.as<op::Conv2d>());
}

struct Family {
  std::uint32_t id;
  Bounds (*bounds)(const BoundRequest&);
};

template <class Op>
constexpr std::uint32_t id = op::row_of<Op>.id;

constexpr std::array families{
    Family{id<op::Copy>, copy},
    Family{id<op::Fill>, exact},
    Family{id<op::Add>, linear_bounds},
    Family{id<op::Mul>, linear_bounds},
    Family{id<op::Affine>, linear_bounds},
    Family{id<op::Sub>, difference},
    Family{id<op::Div>, div_bounds},
    Family{id<op::Pow>, pow_bounds},
    Family{id<op::Maximum>, exact},
    Family{id<op::Minimum>, exact},
    Family{id<op::Equal>, exact},
    Family{id<op::NotEqual>, exact},
    Family{id<op::Less>, exact},
    Family{id<op::LessEqual>, exact},
    Family{id<op::LogicalAnd>, exact},
    Family{id<op::LogicalOr>, exact},
    Family{id<op::LogicalXor>, exact},
    Family{id<op::Where>, exact},
    Family{id<op::Sum>, linear_bounds},
    Family{id<op::Mean>, linear_bounds},
    Family{id<op::Relu>, exact},
    Family{id<op::ReluBackward>, exact},
    Family{id<op::Matmul>, linear_bounds},
    Family{id<op::Conv2d>, conv2d},
    Family{id<op::Conv2dBackwardData>, conv2d_backward_data_bounds},
    Family{id<op::Conv2dBackwardWeight>, linear_bounds},
    Family{id<op::Conv2dActivation>, conv2d_activation_bounds},
    Family{id<op::MatmulActivation>, matmul_activation_bounds},
    Family{id<op::Conv2dReluMaxPool>, conv2d_relu_max_pool_bounds},
    Family{id<op::Conv2dReluMaxPoolBackwardData>, conv2d_relu_max_pool_backward_data_bounds},
    Family{id<op::Conv2dReluMaxPoolBackwardWeight>, linear_bounds},
    Family{id<op::MaxPool2d>, exact},
    Family{id<op::MaxPool2dBackward>, linear_bounds},
    Family{id<op::Dropout>, dropout},
    Family{id<op::Dropout2d>, dropout},
    Family{id<op::Softmax>, softmax_bounds},
    Family{id<op::SoftmaxBackward>, softmax_backward_bounds},
    Family{id<op::LogSoftmax>, log_softmax_bounds},
    Family{id<op::LogSoftmaxBackward>, log_softmax_backward_bounds},
    Family{id<op::CrossEntropy>, cross_entropy_bounds},
    Family{id<op::CrossEntropyBackward>, cross_entropy_backward_bounds},
    Family{id<op::Mse>, mse_bounds},
    Family{id<op::MseBackward>, pair_loss_backward_bounds},
    Family{id<op::Nll>, nll_bounds},
    Family{id<op::NllBackward>, nll_backward_bounds},
    Family{id<op::L1>, l1_bounds},
    Family{id<op::L1Backward>, pair_loss_backward_bounds},
    Family{id<op::Huber>, huber_bounds},
    Family{id<op::HuberBackward>, pair_loss_backward_bounds},
    Family{id<op::BceWithLogits>, bce_with_logits_bounds},
    Family{id<op::BceWithLogitsBackward>, bce_with_logits_backward_bounds},
    Family{id<op::KlDiv>, kl_div_bounds},
    Family{id<op::KlDivBackward>, pair_loss_backward_bounds},
    Family{id<op::ArgMax>, exact},
    Family{id<op::Prod>, prod},
    Family{id<op::Max>, exact},
    Family{id<op::Min>, exact},
    Family{id<op::ArgMin>, exact},
    Family{id<op::Cumsum>, linear_bounds},
    Family{id<op::Uniform>, exact},
    Family{id<op::Normal>, normal},
    Family{id<op::Normalize>, exact},
    Family{id<op::SgdStep>, sgd_step_bounds},
    Family{id<op::AdamStep>, adam_step_bounds},
    Family{id<op::RmspropStep>, rmsprop_step_bounds},
    Family{id<op::GradientNorm>, gradient_norm_bounds},
    Family{id<op::ClipByNorm>, clip_by_norm_bounds},
    Family{id<op::ClipByValue>, exact},
    Family{id<op::Neg>, exact},
    Family{id<op::Abs>, exact},
    Family{id<op::AbsBackward>, exact},
    Family{id<op::Sign>, exact},
    Family{id<op::Exp>, elementary_bounds},
    Family{id<op::Log>, elementary_bounds},
    Family{id<op::Sqrt>, elementary_bounds},
    Family{id<op::Rsqrt>, rsqrt_bounds},
    Family{id<op::Square>, square_bounds},
    Family{id<op::Reciprocal>, reciprocal_bounds},
    Family{id<op::Clamp>, exact},
    Family{id<op::ClampBackward>, exact},
    Family{id<op::LeakyRelu>, leaky_relu_bounds},
    Family{id<op::LeakyReluBackward>, leaky_relu_bounds},
    Family{id<op::Elu>, elu_bounds},
    Family{id<op::EluBackward>, elu_backward_bounds},
    Family{id<op::Sigmoid>, sigmoid_bounds},
    Family{id<op::SigmoidBackward>, sigmoid_backward_bounds},
    Family{id<op::Tanh>, tanh_bounds},
    Family{id<op::TanhBackward>, tanh_backward_bounds},
    Family{id<op::Gelu>, gelu_bounds},
    Family{id<op::GeluBackward>, gelu_backward_bounds},
    Family{id<op::Silu>, silu_bounds},
    Family{id<op::SiluBackward>, silu_backward_bounds},
    Family{id<op::Softplus>, softplus_bounds},
    Family{id<op::SoftplusBackward>, softplus_backward_bounds},
    Family{id<op::Standardize>, standardize_bounds},
    Family{id<op::StandardizeBackward>, standardize_backward_bounds},
    Family{id<op::ScaleShift>, linear_bounds},
    Family{id<op::Flip>, exact},
    Family{id<op::Gather>, exact},
    Family{id<op::ScatterAdd>, linear_bounds},
    Family{id<op::TopK>, exact},
    Family{id<op::AvgPool2d>, linear_bounds},
    Family{id<op::AvgPool2dBackward>, linear_bounds},
    Family{id<op::AdaptiveAvgPool2d>, linear_bounds},
    Family{id<op::AdaptiveAvgPool2dBackward>, linear_bounds},
    Family{id<op::Interpolate>, linear_bounds},
    Family{id<op::InterpolateBackward>, linear_bounds},
};

// An operation without a bound could not be judged: it doesn't build.
#define BACKPLANE_ROW(...) +1
static_assert(families.size() == 0 BACKPLANE_OPS(BACKPLANE_ROW));
#undef BACKPLANE_ROW

}  // namespace

Bounds error_bounds(const BoundRequest& request) {
  const std::uint32_t wanted = request.operation.row().id;
  const auto family = std::ranges::find(families, wanted, &Family::id);
  return family->bounds(request);
}

}  // namespace backplane::detail
