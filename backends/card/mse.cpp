// mse and its gradient.
#include "loss.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Mse& op, plugin::Request& request) {
  Check check(op::row_of<op::Mse>, request);
  check.arguments({{"x"}, {"target"}}, {{"loss"}});
  const bp_tensor_desc &x = request.inputs[0], &target = request.inputs[1];
  check.same_dims(target, "target", x);
  check_loss(check, op.reduction, request.outputs[0], x);
  const LossReduction losses(request, op.reduction, x);
  return make_plan<op::Mse>(
      request, "elementwise kernel, fixed tree",
      [losses, walk = nest({&losses.target(), &x, &target})](const Call& call) {
        launch(call.queue, kernel::mse, items(walk.count), walk, losses.target(call), call.input(0),
               call.input(1));
        losses.enqueue(call);
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::MseBackward& op, plugin::Request& request) {
  Check check(op::row_of<op::MseBackward>, request);
  check.arguments({{"dloss"}, {"x"}, {"target"}}, {{"dx"}});
  const bp_tensor_desc &x = request.inputs[1], &target = request.inputs[2];
  check.same_dims(target, "target", x);
  check.same_dims(request.outputs[0], "dx", x);
  check_loss(check, op.reduction, request.inputs[0], x);
  const bp_tensor_desc dloss = spread(op.reduction, request.inputs[0], x);
  return make_plan<op::MseBackward>(
      request, "elementwise kernel",
      [walk = nest({&request.outputs[0], &dloss, &x, &target}),
       divisor = loss_divisor(op.reduction, element_count(x))](const Call& call) {
        launch(call.queue, kernel::mse_backward, items(walk.count), walk, call.output(0),
               call.input(0), call.input(1), call.input(2), divisor);
      });
}

}  // namespace backplane::card
