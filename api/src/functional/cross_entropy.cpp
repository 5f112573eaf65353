// cross_entropy and nll_loss: losses of labels.
#include <array>

#include "functional/operands.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::describe;
using detail::reject;
using detail::SavedTensor;

namespace {

Shape without_classes(const Shape& shape) {
  Shape each{shape[0]};
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) each.push_back(shape[axis]);
  return each;
}

void check_classes(const char* name, const char* role, const Tensor& x) {
  detail::check_floating(name, x);
  if (x.rank() < 2) {
    reject("{}: {} expects axes of samples and classes, got {}", name, role, describe(x));
  }
}

void check_labels(const char* name, const char* role, const Tensor& x, const Tensor& labels) {
  if (detail::get(labels, name).dtype != DType::i64) {
    reject("{}: labels must be i64, got {}; cast() them", name, describe(labels));
  }
  const Shape each = without_classes(x.shape());
  if (labels.shape() != each) {
    reject("{}: expects one label for each of {} samples, got {} ({} {})", name,
           each.rank() == 1 ? std::to_string(each[0]) : to_string(each), describe(labels), role,
           describe(x));
  }
}

void check_weight(const char* name, const Tensor& x, const Tensor& weight) {
  if (!weight.defined()) return;
  detail::check_same_type(name, x, weight);
  if (weight.shape() != Shape{x.size(1)}) {
    reject("{}: weight expects one value for each of {} classes, got {}", name, x.size(1),
           describe(weight));
  }
  detail::check_constant(name, "weight", weight);
}

// With the checks done.
Tensor nll(const char* name, const Tensor& log_p, const Tensor& labels, const op::NllParams& params,
           const Tensor& weight) {
  const auto with_weight = [](std::vector<Tensor> inputs, const Tensor& weight) {
    if (weight.defined()) inputs.push_back(detail::plain_handle(weight));
    return inputs;
  };
  const Shape shape = params.reduction == Reduction::none ? labels.shape() : Shape{};
  const std::array outputs{detail::Output{log_p.dtype(), shape},
                           detail::Output{log_p.dtype(), Shape{}}};
  const auto made =
      detail::run(Operation(op::Nll{params}),
                  with_weight({detail::plain_handle(log_p), labels}, weight), outputs);
  if (!detail::records({log_p})) return made[0];
  return detail::record(name, {log_p}, made[0],
                        [=, like = detail::like(log_p), labels = SavedTensor(labels),
                         total_weight = SavedTensor(made[1]),
                         weight = SavedTensor(weight)](const BackwardCall& call) {
                          return detail::run(
                              Operation(op::NllBackward{params}),
                              with_weight({call.gradient, labels.get(name), total_weight.get(name)},
                                          weight.get(name)),
                              std::array{like});
                        });
}

Tensor fused_cross_entropy(const Tensor& logits, const Tensor& labels, Reduction reduction) {
  const Shape shape = reduction == Reduction::none ? labels.shape() : Shape{};
  const std::array inputs{detail::plain_handle(logits), labels};
  const std::array outputs{detail::Output{logits.dtype(), shape}, detail::like(logits)};
  const auto made = detail::run(Operation(op::CrossEntropy{reduction}), inputs, outputs);
  if (!detail::records({logits})) return made[0];
  return detail::record(
      "cross_entropy", {logits}, made[0],
      [reduction, log_p = SavedTensor(made[1]),
       labels = SavedTensor(labels)](const BackwardCall& call) {
        const Tensor& saved = log_p.get("cross_entropy");
        return std::vector{detail::run(Operation(op::CrossEntropyBackward{reduction}),
                                       {call.gradient, saved, labels.get("cross_entropy")},
                                       detail::like(saved))};
      });
}

// -sum of weight * ((1 - smoothing) * p + smoothing / C) * log_softmax(logits) over the classes.
Tensor soft_cross_entropy(const Tensor& logits, const Tensor& probabilities,
                          const CrossEntropyOptions& options) {
  detail::check_same_type("cross_entropy", logits, probabilities);
  if (options.ignore_index) {
    reject(
        "cross_entropy: ignore_index is for labels, got probabilities {}; give samples to "
        "ignore probabilities of 0",
        describe(probabilities));
  }
  detail::check_constant("cross_entropy", "probabilities", probabilities);
  Tensor target = probabilities;
  if (options.label_smoothing > 0) {
    const double spread = double{options.label_smoothing} / static_cast<double>(logits.size(1));
    target = affine(target, 1.0 - options.label_smoothing, spread);
  }
  if (options.weight.defined()) {
    Shape along_classes{logits.size(1)};
    for (std::size_t axis = 2; axis < logits.rank(); ++axis) along_classes.push_back(1);
    target = target * options.weight.reshape(along_classes);
  }
  const Tensor losses = -sum(target * log_softmax(logits, 1), {1});
  return detail::reduced(losses, options.reduction);
}

}  // namespace

Tensor nll_loss(const Tensor& log_p, const Tensor& labels, const NllOptions& options) {
  check_classes("nll_loss", "log_p", log_p);
  check_labels("nll_loss", "log_p", log_p, labels);
  check_weight("nll_loss", log_p, options.weight);
  const op::NllParams params{options.reduction, options.ignore_index.has_value(),
                             options.ignore_index.value_or(0), 0};
  return nll("nll_loss", log_p, labels, params, options.weight);
}

Tensor cross_entropy(const Tensor& logits, const Tensor& labels,
                     const CrossEntropyOptions& options) {
  check_classes("cross_entropy", "logits", logits);
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    reject("cross_entropy: label_smoothing must be in [0, 1], got {}", options.label_smoothing);
  }
  check_weight("cross_entropy", logits, options.weight);
  if (is_floating(detail::get(labels, "cross_entropy").dtype) && labels.shape() == logits.shape()) {
    return soft_cross_entropy(logits, labels, options);
  }
  check_labels("cross_entropy", "logits", logits, labels);
  if (logits.rank() == 2 && !options.ignore_index && !options.weight.defined() &&
      options.label_smoothing == 0) {
    return fused_cross_entropy(logits, labels, options.reduction);
  }
  const op::NllParams params{options.reduction, options.ignore_index.has_value(),
                             options.ignore_index.value_or(0), options.label_smoothing};
  return nll("cross_entropy", log_softmax(logits, 1), labels, params, options.weight);
}

Tensor cross_entropy(const Tensor& logits, const Tensor& labels, Reduction reduction) {
  return cross_entropy(logits, labels, CrossEntropyOptions{.reduction = reduction});
}

}  // namespace backplane
