// Losses of pairs of elements, each with its gradient: mse, l1, huber, bce_with_logits, kl_div.
#include "loss.hpp"
#include "plans.hpp"

namespace backplane::card {
namespace {

// `kind` is a PAIR_ of arguments.h.
template <class Op>
std::unique_ptr<plugin::Plan> plan_loss(plugin::Request& request, op::Reduction reduction, i32 kind,
                                        float delta = 0) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"x"}, {"target"}}, {{"loss"}});
  const bp_tensor_desc &x = request.inputs[0], &target = request.inputs[1];
  check.same_dims(target, "target", x);
  check_loss(check, reduction, request.outputs[0], x);
  const LossReduction losses(request, reduction, x);
  return make_plan<Op>(
      request, "elementwise kernel, fixed tree",
      [losses, kind, delta, walk = nest({&losses.target(), &x, &target})](const Call& call) {
        launch(call.queue, kernel::pair_loss, items(walk.count), walk, losses.target(call),
               call.input(0), call.input(1), kind, delta);
        losses.enqueue(call);
      });
}

template <class Op>
std::unique_ptr<plugin::Plan> plan_loss_gradient(plugin::Request& request, op::Reduction reduction,
                                                 i32 kind, float delta = 0) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"dloss"}, {"x"}, {"target"}}, {{"dx"}});
  const bp_tensor_desc &x = request.inputs[1], &target = request.inputs[2];
  check.same_dims(target, "target", x);
  check.same_dims(request.outputs[0], "dx", x);
  check_loss(check, reduction, request.inputs[0], x);
  const bp_tensor_desc dloss = spread(reduction, request.inputs[0], x);
  return make_plan<Op>(request, "elementwise kernel",
                       [kind, delta, walk = nest({&request.outputs[0], &dloss, &x, &target}),
                        divisor = loss_divisor(reduction, element_count(x))](const Call& call) {
                         launch(call.queue, kernel::pair_loss_backward, items(walk.count), walk,
                                call.output(0), call.input(0), call.input(1), call.input(2), kind,
                                delta, divisor);
                       });
}

i32 kind_of(const op::KlDivParams& op) {
  return op.log_target != 0 ? PAIR_KL_DIV_OF_LOGS : PAIR_KL_DIV;
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Mse& op, plugin::Request& request) {
  return plan_loss<op::Mse>(request, op.reduction, PAIR_MSE);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::MseBackward& op, plugin::Request& request) {
  return plan_loss_gradient<op::MseBackward>(request, op.reduction, PAIR_MSE);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::L1& op, plugin::Request& request) {
  return plan_loss<op::L1>(request, op.reduction, PAIR_L1);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::L1Backward& op, plugin::Request& request) {
  return plan_loss_gradient<op::L1Backward>(request, op.reduction, PAIR_L1);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Huber& op, plugin::Request& request) {
  return plan_loss<op::Huber>(request, op.reduction, PAIR_HUBER, op.delta);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::HuberBackward& op, plugin::Request& request) {
  return plan_loss_gradient<op::HuberBackward>(request, op.reduction, PAIR_HUBER, op.delta);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::BceWithLogits& op, plugin::Request& request) {
  return plan_loss<op::BceWithLogits>(request, op.reduction, PAIR_BCE_WITH_LOGITS);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::BceWithLogitsBackward& op,
                                          plugin::Request& request) {
  return plan_loss_gradient<op::BceWithLogitsBackward>(request, op.reduction, PAIR_BCE_WITH_LOGITS);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::KlDiv& op, plugin::Request& request) {
  return plan_loss<op::KlDiv>(request, op.reduction, kind_of(op));
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::KlDivBackward& op, plugin::Request& request) {
  return plan_loss_gradient<op::KlDivBackward>(request, op.reduction, kind_of(op));
}

}  // namespace backplane::card
