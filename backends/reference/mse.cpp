// mse and its gradient: the squared distance from a target.
#include "backend.hpp"
#include "loss.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

void check_loss(const Check& check, op::Reduction reduction, const bp_tensor_desc& loss,
                const bp_tensor_desc& x) {
  check_reduction(check, reduction);
  if (reduction == op::Reduction::none) {
    check.same_dims(loss, "loss", x);
  } else {
    check.dims(loss, "loss", {});
  }
}

void mse(const Call& call, op::Reduction reduction) {
  auto losses = call.load(0);
  const auto target = call.load(1);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double difference = losses[i] - target[i];
    losses[i] = difference * difference;
  }
  call.store(0, reduce(std::move(losses), reduction));
}

void mse_backward(const Call& call, op::Reduction reduction) {
  auto dx = call.load(1);
  const auto target = call.load(2);
  const auto dloss = spread(call.load(0), reduction, static_cast<std::int64_t>(dx.size()));
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = 2 * (dx[i] - target[i]) * dloss[i];
  call.store(0, std::move(dx));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Mse& op, plugin::Request& request) {
  Check check(op::row_of<op::Mse>, request);
  check.arguments({{"x", floating}, {"target", floating}}, {{"loss", floating}});
  check.same_dims(request.inputs[1], "target", request.inputs[0]);
  check_loss(check, op.reduction, request.outputs[0], request.inputs[0]);
  return make_plan<op::Mse>(request,
                            [reduction = op.reduction](const Call& call) { mse(call, reduction); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::MseBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::MseBackward>, request);
  check.arguments({{"dloss", floating}, {"x", floating}, {"target", floating}}, {{"dx", floating}});
  const bp_tensor_desc& x = request.inputs[1];
  check.same_dims(request.inputs[2], "target", x);
  check.same_dims(request.outputs[0], "dx", x);
  check_loss(check, op.reduction, request.inputs[0], x);
  return make_plan<op::MseBackward>(
      request, [reduction = op.reduction](const Call& call) { mse_backward(call, reduction); });
}

}  // namespace backplane::reference
