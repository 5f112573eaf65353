// nll and its gradient.
#include "loss.hpp"
#include "plans.hpp"
#include "range.hpp"

namespace backplane::card {
namespace {

// log_p at class 0 of each label: its dims without those of the classes.
bp_tensor_desc first_class(const Check& check, const bp_tensor_desc& log_p) {
  check.that(log_p.rank >= 2, "log_p has no axis of classes");
  bp_tensor_desc one = log_p;
  --one.rank;
  std::copy(log_p.dims + 2, log_p.dims + log_p.rank, one.dims + 1);
  std::copy(log_p.strides + 2, log_p.strides + log_p.rank, one.strides + 1);
  return one;
}

// A tensor of the labels' dims as one of log_p's: each element repeats itself for all classes.
bp_tensor_desc across_classes(const bp_tensor_desc& each, const bp_tensor_desc& log_p) {
  bp_tensor_desc all = log_p;
  all.strides[0] = each.strides[0];
  all.strides[1] = 0;
  std::copy(each.strides + 1, each.strides + each.rank, all.strides + 2);
  return all;
}

// Checks what both directions share; the loss may be a gradient.
Labels fit(const Check& check, const op::NllParams& op, const bp_tensor_desc& log_p,
           const bp_tensor_desc& labels, const bp_tensor_desc& loss,
           const bp_tensor_desc& total_weight, const bp_tensor_desc* weight) {
  const bp_tensor_desc each = first_class(check, log_p);
  check.that(op.label_smoothing >= 0 && op.label_smoothing <= 1,
             "label_smoothing is outside [0, 1]");
  check.same_dims(labels, "labels", each);
  check.dims(total_weight, "total_weight", {});
  check_loss(check, op.reduction, loss, labels);
  Labels of{};
  of.classes = log_p.dims[1];
  of.places = 1;
  for (std::uint32_t axis = 2; axis < log_p.rank; ++axis) of.places *= log_p.dims[axis];
  of.ignored = op.ignores != 0 ? op.ignore_index : -1;
  of.class_stride = log_p.strides[1];
  of.smoothing = op.label_smoothing;
  of.by_total = op.reduction == op::Reduction::mean;
  if (weight != nullptr) {
    check.dims(*weight, "weight", {of.classes});
    of.weighted = 1;
    of.weight_stride = weight->strides[0];
  }
  return of;
}

const bp_tensor_desc* weight_of(const plugin::Request& request, std::size_t input) {
  return request.inputs.size() > input ? &request.inputs[input] : nullptr;
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Nll& op, plugin::Request& request) {
  Check check(op::row_of<op::Nll>, request);
  check.arguments({{"log_p"}, {"labels", only(BP_I64)}, {"weight", f32, true}},
                  {{"loss"}, {"total_weight"}});
  const bp_tensor_desc& log_p = request.inputs[0];
  const bp_tensor_desc& labels = request.inputs[1];
  const Labels of =
      fit(check, op, log_p, labels, request.outputs[0], request.outputs[1], weight_of(request, 2));
  const bp_tensor_desc first = first_class(check, log_p);
  const bool mean = op.reduction == op::Reduction::mean;
  const LossReduction losses(request, mean ? op::Reduction::sum : op.reduction, first);
  const i64 count = element_count(labels);
  bp_tensor_desc shares = first;
  set_dense_strides(shares);
  const std::uint64_t scratch = reserve(request, static_cast<std::uint64_t>(count) * sizeof(float));
  const Sum total(request, 1u, dense(BP_F32, {count}), dense(BP_F32, {1}));
  const RangeCheck range(labels, of.classes,
                         op.ignores != 0 ? std::optional<i64>(op.ignore_index) : std::nullopt);
  return make_plan<op::Nll>(
      request, "elementwise kernel, fixed tree",
      [of, losses, scratch, total, mean, range,
       walk = nest({&losses.target(), &shares, &first, &labels})](const Call& call) {
        const Memory share = call.workspace(scratch);
        launch(call.queue, kernel::nll, items(walk.count), walk, of, losses.target(call), share,
               call.input(0), call.input(1), call.input(2));
        losses.enqueue(call);
        total.enqueue(call, call.output(1), share, false);
        if (mean) {
          launch(call.queue, kernel::nll_mean, Groups{1}, call.output(0), call.output(1));
        }
        range.enqueue(call, call.input(1));
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::NllBackward& op, plugin::Request& request) {
  Check check(op::row_of<op::NllBackward>, request);
  check.arguments({{"dloss"}, {"labels", only(BP_I64)}, {"total_weight"}, {"weight", f32, true}},
                  {{"dlog_p"}});
  const bp_tensor_desc& dlog_p = request.outputs[0];
  const bp_tensor_desc& labels = request.inputs[1];
  const Labels of =
      fit(check, op, dlog_p, labels, request.inputs[0], request.inputs[2], weight_of(request, 3));
  const bp_tensor_desc dloss =
      across_classes(spread(op.reduction, request.inputs[0], labels), dlog_p);
  const bp_tensor_desc label = across_classes(labels, dlog_p);
  return make_plan<op::NllBackward>(request, "elementwise kernel",
                                    [of, walk = nest({&dlog_p, &dloss, &label})](const Call& call) {
                                      launch(call.queue, kernel::nll_backward, items(walk.count),
                                             walk, of, call.output(0), call.input(0), call.input(1),
                                             call.input(2), call.input(3));
                                    });
}

}  // namespace backplane::card
