// cross_entropy and its gradient: the negative log-probability of each sample's label.
#include "backend.hpp"
#include "lines.hpp"
#include "loss.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

struct Sizes {
  std::int64_t samples, classes;

  [[nodiscard]] bool in_range(std::int64_t label) const { return 0 <= label && label < classes; }
};

void cross_entropy(const Call& call, Sizes sizes, op::Reduction reduction) {
  const auto logits = call.load(0);
  const auto labels = call.load<std::int64_t>(1);
  const Lines rows{sizes.samples, sizes.classes, 1};
  std::vector<double> log_probabilities(logits.size()), losses(labels.size());
  for (std::int64_t n = 0; n < sizes.samples; ++n) {
    const std::int64_t first = n * sizes.classes;
    const auto [max, sum] = exponential_sum(logits, rows, first);
    for (std::int64_t c = first; c < first + sizes.classes; ++c) {
      log_probabilities[c] = logits[c] - max - std::log(sum);
    }
    if (sizes.in_range(labels[n])) {
      losses[n] = -log_probabilities[first + labels[n]];
    } else {
      call.faults.report(call.sequence, n, labels[n], sizes.classes);
    }
  }
  call.store(0, reduce(std::move(losses), reduction));
  if (call.has_output(1)) call.store(1, std::move(log_probabilities));
}

void cross_entropy_backward(const Call& call, Sizes sizes, op::Reduction reduction) {
  const auto dloss = spread(call.load(0), reduction, sizes.samples);
  const auto log_probabilities = call.load(1);
  const auto labels = call.load<std::int64_t>(2);
  std::vector<double> dlogits(log_probabilities.size());
  for (std::int64_t n = 0; n < sizes.samples; ++n) {
    if (!sizes.in_range(labels[n])) continue;
    for (std::int64_t c = 0; c < sizes.classes; ++c) {
      const std::int64_t at = n * sizes.classes + c;
      dlogits[at] = (std::exp(log_probabilities[at]) - (c == labels[n] ? 1 : 0)) * dloss[n];
    }
  }
  call.store(0, std::move(dlogits));
}

// Checks what both directions share, and the loss or its gradient by the reduction.
Sizes fit(const Check& check, op::Reduction reduction, const bp_tensor_desc& logits,
          const bp_tensor_desc& labels, const bp_tensor_desc& loss) {
  check_reduction(check, reduction);
  check.rank(logits, "logits", 2);
  const Sizes sizes{logits.dims[0], logits.dims[1]};
  check.dims(labels, "labels", {sizes.samples});
  if (reduction == op::Reduction::none) {
    check.dims(loss, "loss", {sizes.samples});
  } else {
    check.dims(loss, "loss", {});
  }
  return sizes;
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::CrossEntropy& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::CrossEntropy>, request);
  check.arguments({{"logits", floating}, {"labels", only(BP_I64)}},
                  {{"loss", floating}, {"log_probabilities", floating, true}});
  const bp_tensor_desc& logits = request.inputs[0];
  const Sizes sizes = fit(check, op.reduction, logits, request.inputs[1], request.outputs[0]);
  if (request.outputs.size() > 1) {
    check.same_dims(request.outputs[1], "log_probabilities", logits);
  }
  return make_plan<op::CrossEntropy>(request, [sizes, reduction = op.reduction](const Call& call) {
    cross_entropy(call, sizes, reduction);
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::CrossEntropyBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::CrossEntropyBackward>, request);
  check.arguments({{"dloss", floating}, {"log_probabilities", floating}, {"labels", only(BP_I64)}},
                  {{"dlogits", floating}});
  const bp_tensor_desc& log_probabilities = request.inputs[1];
  const Sizes sizes =
      fit(check, op.reduction, log_probabilities, request.inputs[2], request.inputs[0]);
  check.same_dims(request.outputs[0], "dlogits", log_probabilities);
  return make_plan<op::CrossEntropyBackward>(request,
                                             [sizes, reduction = op.reduction](const Call& call) {
                                               cross_entropy_backward(call, sizes, reduction);
                                             });
}

}  // namespace backplane::reference
