// Which values hold the samples of a batch.
#include "compile/batch.hpp"

#include <algorithm>
#include <array>

namespace backplane::detail {
namespace {

// Which inputs are indexed by sample, as bits; the others are shared by all samples.
struct Rule {
  std::uint32_t id;
  BatchRole role;
  std::uint32_t indexed;
};

template <class Op>
constexpr Rule per_sample(std::uint32_t indexed) {
  return {op::row_of<Op>.id, BatchRole::sample, indexed};
}
template <class Op>
constexpr Rule summed(std::uint32_t indexed) {
  return {op::row_of<Op>.id, BatchRole::sum, indexed};
}

constexpr std::array rules{
    per_sample<op::Conv2d>(1),
    per_sample<op::Conv2dBackwardData>(1),
    per_sample<op::Conv2dActivation>(1),
    per_sample<op::Conv2dReluMaxPool>(1 | 8),
    per_sample<op::Conv2dReluMaxPoolBackwardData>(1 | 2),
    per_sample<op::MaxPool2d>(1),
    per_sample<op::MaxPool2dBackward>(1 | 2),
    per_sample<op::AvgPool2d>(1),
    per_sample<op::AvgPool2dBackward>(1),
    per_sample<op::AdaptiveAvgPool2d>(1),
    per_sample<op::AdaptiveAvgPool2dBackward>(1),
    per_sample<op::Interpolate>(1),
    per_sample<op::InterpolateBackward>(1),
    per_sample<op::Normalize>(1),
    per_sample<op::Copy>(1),
    per_sample<op::Affine>(1),
    per_sample<op::Add>(3),
    per_sample<op::Sub>(3),
    per_sample<op::Mul>(3),
    per_sample<op::Div>(3),
    per_sample<op::Pow>(3),
    per_sample<op::Maximum>(3),
    per_sample<op::Minimum>(3),
    per_sample<op::Where>(7),
    per_sample<op::Dropout>(1),
    per_sample<op::Dropout2d>(1),
    per_sample<op::Neg>(1),
    per_sample<op::Abs>(1),
    per_sample<op::AbsBackward>(3),
    per_sample<op::Sign>(1),
    per_sample<op::Exp>(1),
    per_sample<op::Log>(1),
    per_sample<op::Sqrt>(1),
    per_sample<op::Rsqrt>(1),
    per_sample<op::Square>(1),
    per_sample<op::Reciprocal>(1),
    per_sample<op::Clamp>(1),
    per_sample<op::ClampBackward>(3),
    per_sample<op::Relu>(1),
    per_sample<op::ReluBackward>(3),
    per_sample<op::LeakyRelu>(1),
    per_sample<op::LeakyReluBackward>(3),
    per_sample<op::Elu>(1),
    per_sample<op::EluBackward>(3),
    per_sample<op::Sigmoid>(1),
    per_sample<op::SigmoidBackward>(3),
    per_sample<op::Tanh>(1),
    per_sample<op::TanhBackward>(3),
    per_sample<op::Gelu>(1),
    per_sample<op::GeluBackward>(3),
    per_sample<op::Silu>(1),
    per_sample<op::SiluBackward>(3),
    per_sample<op::Softplus>(1),
    per_sample<op::SoftplusBackward>(3),
    per_sample<op::CrossEntropy>(3),
    per_sample<op::CrossEntropyBackward>(7),
    summed<op::Conv2dBackwardWeight>(3),
    summed<op::Conv2dReluMaxPoolBackwardWeight>(7),
};

// Of the operations that work along one axis, those where it isn't the samples'.
std::optional<Rule> axis_rule(const Operation& operation) {
  const auto of = [&](const auto* op, std::uint32_t indexed) -> std::optional<Rule> {
    if (op == nullptr || op->axis == 0) return std::nullopt;
    return Rule{operation.row().id, BatchRole::sample, indexed};
  };
  if (const auto rule = of(operation.as<op::Softmax>(), 1)) return rule;
  if (const auto rule = of(operation.as<op::SoftmaxBackward>(), 3)) return rule;
  if (const auto rule = of(operation.as<op::LogSoftmax>(), 1)) return rule;
  if (const auto rule = of(operation.as<op::LogSoftmaxBackward>(), 3)) return rule;
  if (const auto* sum = operation.as<op::Sum>()) {
    return Rule{operation.row().id, (sum->axes & 1) != 0 ? BatchRole::sum : BatchRole::sample, 1};
  }
  if (const auto* mean = operation.as<op::Mean>(); mean != nullptr && (mean->axes & 1) == 0) {
    return Rule{operation.row().id, BatchRole::sample, 1};
  }
  return std::nullopt;
}

std::optional<Rule> rule_of(const Operation& operation) {
  const auto found = std::ranges::find(rules, operation.row().id, &Rule::id);
  return found != rules.end() ? std::optional(*found) : axis_rule(operation);
}

}  // namespace

Batch::Batch(const Graph& graph, std::int64_t samples)
    : graph_(graph), samples_(samples), sample_bytes_(graph.storages.size(), 0) {}

int Batch::axis(const GraphValue& value) const {
  const std::uint64_t bytes = sample_bytes_[value.storage];
  if (bytes == 0) return -1;
  const TensorSpec& spec = value.spec;
  if (value.free) return spec.shape.rank() > 0 && spec.shape[0] == samples_ ? 0 : -1;
  if (spec.layout != BP_LAYOUT_STRIDED || value.offset >= bytes) return -1;
  const auto element = size_of(spec.dtype);
  int found = -1;
  std::uint64_t last = value.offset + element;  // where the others' last element ends
  for (std::size_t axis = 0; axis < spec.shape.rank(); ++axis) {
    const std::uint64_t step = static_cast<std::uint64_t>(spec.strides[axis]) * element;
    if (found < 0 && spec.shape[axis] == samples_ && step == bytes) {
      found = static_cast<int>(axis);
    } else if (spec.shape[axis] > 0) {
      last += static_cast<std::uint64_t>(spec.shape[axis] - 1) * step;
    }
  }
  return last <= bytes ? found : -1;
}

bool Batch::can_slice(const GraphValue& value) const {
  const TensorSpec& spec = value.spec;
  if (spec.shape.rank() == 0 || spec.shape[0] != samples_ || spec.layout != BP_LAYOUT_STRIDED) {
    return false;
  }
  if (value.free) return true;
  return spec.strides[0] == 0 /* the same sample each time */ ||
         spec.strides == row_major(spec.shape);
}

// a[M,K] b[K,N]: rows of a are samples, or both are summed over them; with leading axes, those.
BatchRole Batch::matmul_role(const GraphStep& step) const {
  const int a = axis(step.inputs[0]), b = axis(step.inputs[1]);
  const std::size_t rank = step.inputs[0].spec.shape.rank();
  const bool bias = step.inputs.size() > 2;
  if (bias && axis(step.inputs[2]) >= 0) return BatchRole::none;
  if (a == 0 && (rank == 2 ? b < 0 : b <= 0)) return BatchRole::sample;
  if (rank == 2 && a == 1 && b == 0 && !bias) return BatchRole::sum;
  return BatchRole::none;
}

bool Batch::is_indexed(const GraphStep& step, std::size_t input) const {
  if (step.operation.as<op::Matmul>() || step.operation.as<op::MatmulActivation>()) {
    return axis(step.inputs[input]) >= 0;
  }
  const std::optional<Rule> rule = rule_of(step.operation);
  return rule && (rule->indexed >> input & 1) != 0;
}

BatchRole Batch::role(const GraphStep& step) const {
  if (step.adds_to != 0 || step.refreshed) return BatchRole::none;
  const bool touched =
      std::ranges::any_of(step.inputs, [&](const GraphValue& value) { return axis(value) >= 0; });
  if (!touched) return BatchRole::none;
  if (step.operation.as<op::Matmul>() || step.operation.as<op::MatmulActivation>()) {
    const BatchRole role = matmul_role(step);
    const bool activated = step.operation.as<op::MatmulActivation>() != nullptr;
    return activated && role == BatchRole::sum ? BatchRole::none : role;
  }
  const std::optional<Rule> rule = rule_of(step.operation);
  if (!rule) return BatchRole::none;
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const int where = axis(step.inputs[i]);
    const bool indexed = (rule->indexed >> i & 1) != 0;
    if (indexed ? where != 0 && !can_slice(step.inputs[i]) : where >= 0) return BatchRole::none;
  }
  for (const GraphValue& output : step.outputs) {
    if (!graph_.is_internal(output) && rule->role == BatchRole::sample) return BatchRole::none;
    const bool batched = output.spec.shape.rank() > 0 && output.spec.shape[0] == samples_;
    if (rule->role == BatchRole::sample && !batched) return BatchRole::none;
    if (rule->role == BatchRole::sum && output.spec.dtype != DType::f32) return BatchRole::none;
  }
  return rule->role;
}

void Batch::add(const GraphValue& value) {
  const std::int64_t sample = row_major(value.spec.shape)[0];
  sample_bytes_[value.storage] = static_cast<std::uint64_t>(sample) * size_of(value.spec.dtype);
}

}  // namespace backplane::detail
