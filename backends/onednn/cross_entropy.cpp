// cross_entropy of logits and integer labels, and its gradient.
#include "cpu/cross_entropy.h"

#include "backend.hpp"
#include "cpu/log_softmax.h"
#include "rowwise.hpp"

namespace backplane::onednn {
namespace {

void check_labels(const Check& check, const bp_tensor_desc& of, bp_tensor_desc& labels,
                  op::Reduction reduction, const bp_tensor_desc& loss) {
  check.rank(of, "logits", 2);
  check.dtype(of, "logits", {BP_F32});
  check.dtype(labels, "labels", {BP_I64});
  check.dims(labels, "labels", {of.dims[0]});
  check.dtype(loss, "loss", {BP_F32});
  if (reduction == op::Reduction::none) {
    check.dims(loss, "loss", {of.dims[0]});
  } else {
    check.rank(loss, "loss", 0);
  }
  if (!is_row_major(labels)) set_row_major(labels);
}

void settle_row_major(const Check& check, bp_tensor_desc& output, const char* what) {
  if (output.layout == BP_LAYOUT_ANY) set_row_major(output);
  if (!is_row_major(output)) throw check.unsupported(std::string(what) + " is written row-major");
}

// The losses of all samples; a label out of range is reported and counts as 0.
void gather_losses(const plugin::HostRun& run, std::int64_t samples, std::int64_t classes,
                   op::Reduction reduction) {
  const auto* labels = run.input<std::int64_t>(1);
  const auto* log_probabilities = run.output<float>(1);
  auto* loss = run.output<float>(0);
  double total = 0;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    const std::int64_t label = labels[sample];
    const bool in_range = label >= 0 && label < classes;
    if (!in_range) run.faults.report(run.run.sequence, sample, label, classes);
    const float here = in_range ? -log_probabilities[sample * classes + label] : 0.0f;
    if (reduction == op::Reduction::none) {
      loss[sample] = here;
    } else {
      total += static_cast<double>(here);
    }
  }
  if (reduction == op::Reduction::sum) *loss = static_cast<float>(total);
  if (reduction == op::Reduction::mean) {
    *loss = static_cast<float>(total / static_cast<double>(samples));
  }
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::CrossEntropy& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::CrossEntropy>, request);
  check.inputs(2, 2);
  check.outputs(2, 2);
  bp_tensor_desc &logits = request.inputs[0], &labels = request.inputs[1];
  bp_tensor_desc &loss = request.outputs[0], &log_probabilities = request.outputs[1];
  check_labels(check, logits, labels, op.reduction, loss);
  check.dtype(log_probabilities, "log_probabilities", {BP_F32});
  check.same_dims(log_probabilities, "log_probabilities", logits);
  settle_row_major(check, loss, "loss");
  settle_row_major(check, log_probabilities, "log_probabilities");
  want_rows(logits, 1);
  const std::int64_t samples = logits.dims[0], classes = logits.dims[1];
  const std::int64_t stride = logits.strides[0];
  const unsigned parts = parts_for(samples * classes, request.threads);
  request.implementation = "vectors along rows";
  return make_plan(request, [=, reduction = op.reduction](const plugin::HostRun& run) {
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(samples, part, parts);
      cpu::log_softmax(cpu::Rows{mine.end - mine.begin, classes},
                       {run.input<float>(0) + mine.begin * stride, stride},
                       {run.output<float>(1) + mine.begin * classes, classes});
    });
    gather_losses(run, samples, classes, reduction);
  });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::CrossEntropyBackward& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::CrossEntropyBackward>, request);
  check.inputs(3, 3);
  check.outputs(1, 1);
  bp_tensor_desc &dloss = request.inputs[0], &log_probabilities = request.inputs[1];
  bp_tensor_desc &labels = request.inputs[2], &dlogits = request.outputs[0];
  check_labels(check, log_probabilities, labels, op.reduction, dloss);
  check.dtype(dlogits, "dlogits", {BP_F32});
  check.same_dims(dlogits, "dlogits", log_probabilities);
  settle_row_major(check, dlogits, "dlogits");
  want_rows(log_probabilities, 1);
  const bool each = op.reduction == op::Reduction::none;
  const std::int64_t samples = dlogits.dims[0], classes = dlogits.dims[1];
  const std::int64_t stride = log_probabilities.strides[0];
  const std::int64_t scale_stride = each ? dloss.strides[0] : 0;
  const unsigned parts = parts_for(samples * classes, request.threads);
  request.implementation = "vectors along rows";
  return make_plan(
      request, [=, mean = op.reduction == op::Reduction::mean](const plugin::HostRun& run) {
        const auto* dloss = run.input<float>(0);
        const float mean_scale = mean && samples > 0 ? *dloss / static_cast<float>(samples) : 0.0f;
        const float* scale = mean ? &mean_scale : dloss;
        in_parallel(parts, [&](unsigned part) {
          const Share mine = share_of(samples, part, parts);
          cpu::cross_entropy_backward(cpu::Rows{mine.end - mine.begin, classes},
                                      {run.input<float>(1) + mine.begin * stride, stride},
                                      run.input<std::int64_t>(2) + mine.begin,
                                      {scale + mine.begin * scale_stride, scale_stride},
                                      {run.output<float>(0) + mine.begin * classes, classes});
        });
      });
}

}  // namespace backplane::onednn
