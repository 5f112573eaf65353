// nll and its gradient: the negative log-probability of each label, smoothed and weighted.
//
// Plain loops: without smoothing one element of each sample is read, and no vector helps.
#include "backend.hpp"
#include "check.hpp"
#include "layout.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace backplane::onednn {
namespace {

// log_p[samples, classes, places], row-major: the axes after the classes count as one.
struct Sizes {
  std::int64_t samples, classes, places;
  [[nodiscard]] std::int64_t labels() const { return samples * places; }
  [[nodiscard]] std::int64_t first_class(std::int64_t i) const {
    return i / places * classes * places + i % places;
  }
};

// What labels mean in one run.
struct Judge {
  op::NllParams op;
  std::int64_t classes;
  const float* weight;  // null: ones

  [[nodiscard]] bool ignored(std::int64_t label) const {
    return op.ignores != 0 && label == op.ignore_index;
  }
  [[nodiscard]] bool counts(std::int64_t label) const {
    return 0 <= label && label < classes && !ignored(label);
  }
  [[nodiscard]] double weight_of(std::int64_t c) const {
    return weight == nullptr ? 1 : static_cast<double>(weight[c]);
  }
  [[nodiscard]] double sure_share(std::int64_t label) const {
    return (1 - static_cast<double>(op.label_smoothing)) * weight_of(label);
  }
  [[nodiscard]] double smooth_share(std::int64_t c) const {
    return static_cast<double>(op.label_smoothing) / static_cast<double>(classes) * weight_of(c);
  }
};

void settle(const Check& check, bp_tensor_desc& desc) {
  if (desc.layout == BP_LAYOUT_ANY) set_row_major(desc);
  if (!is_row_major(desc)) throw check.unsupported("results are written row-major");
}

void want_row_major(bp_tensor_desc& input) {
  if (!is_row_major(input)) set_row_major(input);
}

// Checks what both directions share; the loss may be a gradient.
Sizes fit(const Check& check, const op::NllParams& op, const bp_tensor_desc& log_p,
          const bp_tensor_desc& labels, const bp_tensor_desc& loss,
          const bp_tensor_desc& total_weight, const bp_tensor_desc* weight) {
  check.that(op.reduction <= op::Reduction::none, "the reduction is unknown");
  check.that(op.label_smoothing >= 0 && op.label_smoothing <= 1,
             "label_smoothing is outside [0, 1]");
  check.that(log_p.rank >= 2, "log_p has no axis of classes");
  check.dtype(labels, "labels", {BP_I64});
  Sizes sizes{log_p.dims[0], log_p.dims[1], 1};
  bp_tensor_desc one_class = log_p;
  --one_class.rank;
  for (std::uint32_t axis = 2; axis < log_p.rank; ++axis) {
    sizes.places *= log_p.dims[axis];
    one_class.dims[axis - 1] = log_p.dims[axis];
  }
  check.same_dims(labels, "labels", one_class);
  for (const bp_tensor_desc* tensor : {&log_p, &loss, &total_weight}) {
    check.dtype(*tensor, "log_p, loss and total_weight", {BP_F32});
  }
  check.rank(total_weight, "total_weight", 0);
  if (weight != nullptr) {
    check.dtype(*weight, "weight", {BP_F32});
    check.dims(*weight, "weight", {sizes.classes});
  }
  if (op.reduction == op::Reduction::none) {
    check.same_dims(loss, "loss", labels);
  } else {
    check.rank(loss, "loss", 0);
  }
  return sizes;
}

double loss_of(const Judge& judge, const Sizes& sizes, const float* log_p, std::int64_t label) {
  double loss = 0;  // and no -0 of it
  loss -= judge.sure_share(label) * static_cast<double>(log_p[label * sizes.places]);
  if (judge.op.label_smoothing > 0) {
    for (std::int64_t c = 0; c < sizes.classes; ++c) {
      loss -= judge.smooth_share(c) * static_cast<double>(log_p[c * sizes.places]);
    }
  }
  return loss;
}

// One thread: the sums are in one order, and labels are few beside what made their log_p.
void nll(const plugin::HostRun& run, const Judge& judge, const Sizes& sizes) {
  const auto* log_p = run.input<float>(0);
  const auto* labels = run.input<std::int64_t>(1);
  auto* loss = run.output<float>(0);
  double total = 0, total_weight = 0;
  for (std::int64_t i = 0; i < sizes.labels(); ++i) {
    const std::int64_t label = labels[i];
    double here = 0;
    if (judge.counts(label)) {
      here = loss_of(judge, sizes, log_p + sizes.first_class(i), label);
      total_weight += judge.weight_of(label);
    } else if (!judge.ignored(label)) {
      run.faults.report(run.run.sequence, i, label, sizes.classes);
    }
    total += here;
    if (judge.op.reduction == op::Reduction::none) loss[i] = static_cast<float>(here);
  }
  if (judge.op.reduction == op::Reduction::sum) *loss = static_cast<float>(total);
  if (judge.op.reduction == op::Reduction::mean) *loss = static_cast<float>(total / total_weight);
  *run.output<float>(1) = static_cast<float>(total_weight);
}

void nll_backward_of(const Judge& judge, const Sizes& sizes, std::int64_t label, double gradient,
                     float* dlog_p) {
  const bool counts = judge.counts(label);
  const bool smooth = counts && judge.op.label_smoothing > 0;
  for (std::int64_t c = 0; c < sizes.classes; ++c) {
    dlog_p[c * sizes.places] =
        smooth ? static_cast<float>(-judge.smooth_share(c) * gradient) : 0.0f;
  }
  if (!counts) return;
  const double share = judge.sure_share(label) + (smooth ? judge.smooth_share(label) : 0);
  dlog_p[label * sizes.places] = static_cast<float>(-share * gradient);
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Nll& op, plugin::Request& request) {
  const Check check(op::row_of<op::Nll>, request);
  check.inputs(2, 3);
  check.outputs(2, 2);
  const bool weighted = request.inputs.size() > 2;
  const Sizes sizes = fit(check, op, request.inputs[0], request.inputs[1], request.outputs[0],
                          request.outputs[1], weighted ? &request.inputs[2] : nullptr);
  for (bp_tensor_desc& input : request.inputs) want_row_major(input);
  for (bp_tensor_desc& output : request.outputs) settle(check, output);
  request.implementation = "plain loop";
  return make_plan(request, [=](const plugin::HostRun& run) {
    nll(run, {op, sizes.classes, weighted ? run.input<float>(2) : nullptr}, sizes);
  });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::NllBackward& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::NllBackward>, request);
  check.inputs(3, 4);
  check.outputs(1, 1);
  const bool weighted = request.inputs.size() > 3;
  const Sizes sizes = fit(check, op, request.outputs[0], request.inputs[1], request.inputs[0],
                          request.inputs[2], weighted ? &request.inputs[3] : nullptr);
  for (bp_tensor_desc& input : request.inputs) want_row_major(input);
  settle(check, request.outputs[0]);
  const unsigned parts = parts_for(sizes.labels() * sizes.classes, request.threads);
  request.implementation = "plain loop";
  return make_plan(request, [=](const plugin::HostRun& run) {
    const Judge judge{op, sizes.classes, weighted ? run.input<float>(3) : nullptr};
    const auto* dloss = run.input<float>(0);
    const auto* labels = run.input<std::int64_t>(1);
    auto* dlog_p = run.output<float>(0);
    const double divisor = op.reduction == op::Reduction::mean ? *run.input<float>(2) : 1;
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(sizes.labels(), part, parts);
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        const double gradient = dloss[op.reduction == op::Reduction::none ? i : 0] / divisor;
        nll_backward_of(judge, sizes, labels[i], gradient, dlog_p + sizes.first_class(i));
      }
    });
  });
}

}  // namespace backplane::onednn
