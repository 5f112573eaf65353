// Error bounds of losses of pairs of elements, and of nll; cross entropy stands with softmax.
//
// The loss of one element is a sum of terms, each of which is rounded some times: its error is
// those roundings times the sum of the terms' magnitudes. A reduction adds n such losses in any
// order, and the errors with them.
#include <cmath>

#include "observe/bounds.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

namespace {

// Of a quotient in OpenCL, as in bounds_elementwise.cpp.
constexpr double quotient = 5;

using Values = std::vector<double>;

// `size` is the sum of the magnitudes of one loss, `roundings` what each of its terms goes through.
Bounds reduced(const BoundRequest& request, op::Reduction reduction, const Values& sizes,
               double roundings) {
  const Values expected = as_doubles(request.expected[0]);
  const Precision p = precision_of(request.expected[0].dtype());
  if (reduction == op::Reduction::none) {
    Values each(sizes.size());
    for (std::size_t i = 0; i < each.size(); ++i) {
      each[i] = p.unit * roundings * sizes[i] + 2 * p.store * std::abs(expected[i]) + p.tiny;
    }
    return {each};
  }
  const auto count = static_cast<double>(sizes.size());
  double total = 0;
  for (const double size : sizes) total += size;
  if (reduction == op::Reduction::mean && count > 0) total /= count;
  return {{p.unit * (roundings + growth(count) + 2) * total + 2 * p.store * std::abs(expected[0]) +
           p.tiny}};
}

// size(x, target) gives the magnitudes of one loss.
template <class Size>
Bounds pair_loss(const BoundRequest& request, op::Reduction reduction, double roundings,
                 Size size) {
  Values sizes = as_doubles(request.inputs[0]);
  const Values target = as_doubles(request.inputs[1]);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::abs(size(sizes[i], target[i]));
  return reduced(request, reduction, sizes, roundings);
}

}  // namespace

// (x - target)^2: the difference is rounded once and squared.
Bounds mse_bounds(const BoundRequest& request) {
  return pair_loss(request, request.operation.as<op::Mse>()->reduction, 5,
                   [](double x, double target) { return (x - target) * (x - target); });
}

Bounds l1_bounds(const BoundRequest& request) {
  return pair_loss(request, request.operation.as<op::L1>()->reduction, 3,
                   [](double x, double target) { return x - target; });
}

// d^2 / 2, or delta * (d - delta / 2), of which d / 2 at least is left.
Bounds huber_bounds(const BoundRequest& request) {
  const op::HuberParams op = *request.operation.as<op::Huber>();
  return pair_loss(request, op.reduction, 8, [&](double x, double target) {
    const double distance = std::abs(x - target);
    return distance <= op.delta ? distance * distance / 2 : op.delta * distance;
  });
}

Bounds bce_with_logits_bounds(const BoundRequest& request) {
  return pair_loss(request, request.operation.as<op::BceWithLogits>()->reduction,
                   2 * elementary + 4, [](double x, double target) {
                     return std::max(x, 0.0) + std::abs(x * target) +
                            std::log1p(std::exp(-std::abs(x)));
                   });
}

Bounds kl_div_bounds(const BoundRequest& request) {
  const op::KlDivParams op = *request.operation.as<op::KlDiv>();
  return pair_loss(request, op.reduction, elementary + 4, [&](double x, double target) {
    const double log_target = op.log_target != 0 ? target : target == 0 ? 0 : std::log(target);
    const double share = op.log_target != 0 ? std::exp(target) : target;
    return share * (std::abs(log_target) + std::abs(x));
  });
}

// A derivative of one term, times dloss / n.
Bounds pair_loss_backward_bounds(const BoundRequest& request) {
  return relative(request, elementary + 6);
}

// (p - target) * dloss / n: p and target may cancel.
Bounds bce_with_logits_backward_bounds(const BoundRequest& request) {
  const Values dloss = as_doubles(request.inputs[0]);
  const Values x = as_doubles(request.inputs[1]), target = as_doubles(request.inputs[2]);
  const Values expected = as_doubles(request.expected[0]);
  const bool mean =
      request.operation.as<op::BceWithLogitsBackward>()->reduction == op::Reduction::mean;
  const double scale = mean ? 1 / static_cast<double>(x.size()) : 1;
  const Precision p = precision_of(request.expected[0].dtype());
  Values bound(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double size = 1 / (1 + std::exp(-x[i])) + std::abs(target[i]);
    const double factor = std::abs(dloss[dloss.size() == 1 ? 0 : i]) * scale;
    bound[i] = p.unit * (elementary + quotient + 6) * size * factor +
               2 * p.store * std::abs(expected[i]) + p.tiny;
  }
  return {bound};
}

// share[c] * log_p[c], added up over the classes where there is smoothing. The weights of a mean
// are added up as the losses are.
Bounds nll_bounds(const BoundRequest& request) {
  const op::NllParams op = *request.operation.as<op::Nll>();
  const Values log_p = as_doubles(request.inputs[0]), labels = as_doubles(request.inputs[1]);
  const Shape& shape = request.inputs[0].shape();
  const auto classes = static_cast<std::size_t>(shape[1]);
  const std::size_t places =
      labels.empty() ? 1 : labels.size() / static_cast<std::size_t>(shape[0]);
  const Values weight =
      request.inputs.size() > 2 ? as_doubles(request.inputs[2]) : Values(classes, 1.0);
  const double spread = op.label_smoothing / static_cast<double>(classes);

  Values sizes(labels.size());
  double total_weight = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= static_cast<double>(classes)) continue;
    if (op.ignores != 0 && labels[i] == op.ignore_index) continue;
    const auto label = static_cast<std::size_t>(labels[i]);
    total_weight += std::abs(weight[label]);
    for (std::size_t c = 0; c < classes; ++c) {
      const double share = (c == label ? 1 - op.label_smoothing : 0) + spread;
      const std::size_t at = (i / places * classes + c) * places + i % places;
      sizes[i] += std::abs(share * weight[c] * log_p[at]);
    }
  }
  const double roundings = 6 + (op.label_smoothing > 0 ? growth(static_cast<double>(classes)) : 0);
  const Precision p = precision_of(request.expected[1].dtype());
  const double weights = growth(static_cast<double>(labels.size())) * p.unit;
  const bool mean = op.reduction == op::Reduction::mean;
  Bounds bounds = reduced(request, mean ? op::Reduction::sum : op.reduction, sizes, roundings);
  if (mean) {
    const double loss = std::abs(as_doubles(request.expected[0])[0]);
    bounds[0][0] = bounds[0][0] / total_weight + (weights + 4 * p.unit) * loss + p.tiny;
  }
  bounds.push_back({(weights + 2 * p.store) * total_weight + p.tiny});
  return bounds;
}

Bounds nll_backward_bounds(const BoundRequest& request) {
  return relative(request, 10);
}

}  // namespace backplane::detail
