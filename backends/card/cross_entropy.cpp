// cross_entropy and its gradient.
#include "loss.hpp"
#include "plans.hpp"
#include "range.hpp"

namespace backplane::card {
namespace {

// The labels as a tensor with one element for each logit.
bp_tensor_desc along_classes(const bp_tensor_desc& labels, i64 classes) {
  return view(labels, {{labels.dims[0], labels.strides[0]}, {classes, 0}});
}

// Checks what both directions share; the loss may be a gradient.
void check_shapes(const Check& check, op::Reduction reduction, const bp_tensor_desc& logits,
                  const bp_tensor_desc& labels, const bp_tensor_desc& loss) {
  check.rank(logits, "logits", 2);
  check.dims(labels, "labels", {logits.dims[0]});
  check_loss(check, reduction, loss, labels);
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::CrossEntropy& op, plugin::Request& request) {
  Check check(op::row_of<op::CrossEntropy>, request);
  check.arguments({{"logits"}, {"labels", only(BP_I64)}},
                  {{"loss"}, {"log_probabilities", f32, true}});
  const bp_tensor_desc &logits = request.inputs[0], &labels = request.inputs[1];
  check_shapes(check, op.reduction, logits, labels, request.outputs[0]);
  const bool keeps = request.outputs.size() > 1;
  const bp_tensor_desc& log_probabilities = keeps ? request.outputs[1] : logits;
  check.same_dims(log_probabilities, "log_probabilities", logits);

  const i64 classes = logits.dims[1];
  bp_tensor_desc each = labels;
  each.dtype = BP_F32;
  const LossReduction losses(request, op.reduction, each);
  const bp_tensor_desc loss = along_classes(losses.target(), classes);
  const bp_tensor_desc label = along_classes(labels, classes);
  const Lines rows = lines_along(check, 1, {&loss, &logits, &log_probabilities, &label});
  const RangeCheck range(labels, classes);
  return make_plan<op::CrossEntropy>(
      request, "row kernel, fixed tree", [rows, losses, range, keeps](const Call& call) {
        launch(call.queue, kernel::cross_entropy, rows.grid(), rows.lines, rows.elements,
               losses.target(call), call.output(1), call.input(0), call.input(1), keeps,
               rows.lanes);
        losses.enqueue(call);
        range.enqueue(call, call.input(1));
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::CrossEntropyBackward& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::CrossEntropyBackward>, request);
  check.arguments({{"dloss"}, {"log_probabilities"}, {"labels", only(BP_I64)}}, {{"dlogits"}});
  const bp_tensor_desc &log_probabilities = request.inputs[1], &labels = request.inputs[2];
  check_shapes(check, op.reduction, log_probabilities, labels, request.inputs[0]);
  check.same_dims(request.outputs[0], "dlogits", log_probabilities);
  const i64 classes = log_probabilities.dims[1];
  const bp_tensor_desc dloss =
      along_classes(spread(op.reduction, request.inputs[0], labels), classes);
  const bp_tensor_desc label = along_classes(labels, classes);
  return make_plan<op::CrossEntropyBackward>(
      request, "elementwise kernel",
      [walk = nest({&request.outputs[0], &dloss, &log_probabilities, &label}), classes,
       divisor = loss_divisor(op.reduction, labels.dims[0])](const Call& call) {
        launch(call.queue, kernel::cross_entropy_backward, items(walk.count), walk, call.output(0),
               call.input(0), call.input(1), call.input(2), classes, divisor);
      });
}

}  // namespace backplane::card
