// nll and its gradient: the negative log-probability of each label, smoothed and weighted.
#include <numeric>

#include "backend.hpp"
#include "loss.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

// log_p[samples, classes, places]: the axes after the classes count as one.
struct Sizes {
  std::int64_t samples, classes, places;

  [[nodiscard]] std::int64_t labels() const { return samples * places; }
  // Where label `i` has its log-probability of class c.
  [[nodiscard]] std::size_t at(std::int64_t i, std::int64_t c) const {
    return static_cast<std::size_t>((i / places * classes + c) * places + i % places);
  }
};

class Judge {
 public:
  Judge(const op::NllParams& op, Sizes sizes, std::vector<double> weight)
      : op_(op), classes_(sizes.classes), weight_(std::move(weight)) {}

  [[nodiscard]] bool in_range(std::int64_t label) const { return 0 <= label && label < classes_; }
  [[nodiscard]] bool ignored(std::int64_t label) const {
    return op_.ignores != 0 && label == op_.ignore_index;
  }
  [[nodiscard]] bool counts(std::int64_t label) const { return in_range(label) && !ignored(label); }
  [[nodiscard]] double weight(std::int64_t c) const {
    return weight_.empty() ? 1 : weight_[static_cast<std::size_t>(c)];
  }
  // Whether class c has a part in the loss of a label, and by which factor.
  [[nodiscard]] bool matters(std::int64_t c, std::int64_t label) const {
    return c == label || op_.label_smoothing > 0;
  }
  [[nodiscard]] double share(std::int64_t c, std::int64_t label) const {
    const double hot = c == label ? (1.0 - op_.label_smoothing) * weight(c) : 0;
    return hot + op_.label_smoothing / static_cast<double>(classes_) * weight(c);
  }

 private:
  op::NllParams op_;
  std::int64_t classes_;
  std::vector<double> weight_;  // empty: ones
};

std::vector<double> weight_of(const Call& call, std::size_t input) {
  return call.has_input(input) ? call.load(input) : std::vector<double>();
}

void nll(const Call& call, Sizes sizes, const op::NllParams& op) {
  const auto log_p = call.load(0);
  const auto labels = call.load<std::int64_t>(1);
  const Judge judge(op, sizes, weight_of(call, 2));
  std::vector<double> losses(labels.size());
  double total_weight = 0;
  for (std::int64_t i = 0; i < sizes.labels(); ++i) {
    const std::int64_t label = labels[i];
    if (!judge.in_range(label) && !judge.ignored(label)) {
      call.faults.report(call.sequence, i, label, sizes.classes);
    }
    if (!judge.counts(label)) continue;
    total_weight += judge.weight(label);
    for (std::int64_t c = 0; c < sizes.classes; ++c) {
      if (judge.matters(c, label)) losses[i] -= judge.share(c, label) * log_p[sizes.at(i, c)];
    }
  }
  if (op.reduction == op::Reduction::mean) {
    call.store(
        0, std::vector<double>{std::accumulate(losses.begin(), losses.end(), 0.0) / total_weight});
  } else {
    call.store(0, reduce(std::move(losses), op.reduction));
  }
  call.store(1, std::vector<double>{total_weight});
}

void nll_backward(const Call& call, Sizes sizes, const op::NllParams& op) {
  const auto dloss = call.load(0);
  const auto labels = call.load<std::int64_t>(1);
  const double divisor = op.reduction == op::Reduction::mean ? call.load(2)[0] : 1;
  const Judge judge(op, sizes, weight_of(call, 3));
  std::vector<double> dlog_p(static_cast<std::size_t>(sizes.labels() * sizes.classes));
  for (std::int64_t i = 0; i < sizes.labels(); ++i) {
    if (!judge.counts(labels[i])) continue;
    const double gradient = dloss[op.reduction == op::Reduction::none ? i : 0] / divisor;
    for (std::int64_t c = 0; c < sizes.classes; ++c) {
      if (judge.matters(c, labels[i])) {
        dlog_p[sizes.at(i, c)] = -judge.share(c, labels[i]) * gradient;
      }
    }
  }
  call.store(0, std::move(dlog_p));
}

// Checks what both directions share; the loss may be a gradient.
Sizes fit(const Check& check, const op::NllParams& op, const bp_tensor_desc& log_p,
          const bp_tensor_desc& labels, const bp_tensor_desc& loss,
          const bp_tensor_desc& total_weight, const bp_tensor_desc* weight) {
  check_reduction(check, op.reduction);
  check.that(op.label_smoothing >= 0 && op.label_smoothing <= 1,
             "label_smoothing is outside [0, 1]");
  check.that(log_p.rank >= 2, "log_p has no axis of classes");
  Sizes sizes{log_p.dims[0], log_p.dims[1], 1};
  bp_tensor_desc one_class = log_p;
  --one_class.rank;
  for (std::uint32_t axis = 2; axis < log_p.rank; ++axis) {
    sizes.places *= log_p.dims[axis];
    one_class.dims[axis - 1] = log_p.dims[axis];
  }
  check.same_dims(labels, "labels", one_class);
  check.dims(total_weight, "total_weight", {});
  if (weight != nullptr) check.dims(*weight, "weight", {sizes.classes});
  if (op.reduction == op::Reduction::none) {
    check.same_dims(loss, "loss", labels);
  } else {
    check.dims(loss, "loss", {});
  }
  return sizes;
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Nll& op, plugin::Request& request) {
  Check check(op::row_of<op::Nll>, request);
  check.arguments({{"log_p", floating}, {"labels", only(BP_I64)}, {"weight", floating, true}},
                  {{"loss", floating}, {"total_weight", floating}});
  const Sizes sizes =
      fit(check, op, request.inputs[0], request.inputs[1], request.outputs[0], request.outputs[1],
          request.inputs.size() > 2 ? &request.inputs[2] : nullptr);
  return make_plan<op::Nll>(request, [sizes, op](const Call& call) { nll(call, sizes, op); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::NllBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::NllBackward>, request);
  check.arguments({{"dloss", floating},
                   {"labels", only(BP_I64)},
                   {"total_weight", floating},
                   {"weight", floating, true}},
                  {{"dlog_p", floating}});
  const Sizes sizes =
      fit(check, op, request.outputs[0], request.inputs[1], request.inputs[0], request.inputs[2],
          request.inputs.size() > 3 ? &request.inputs[3] : nullptr);
  return make_plan<op::NllBackward>(
      request, [sizes, op](const Call& call) { nll_backward(call, sizes, op); });
}

}  // namespace backplane::reference
