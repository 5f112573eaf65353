// Losses of pairs of elements, each with its gradient: mse, l1, huber, bce_with_logits, kl_div.
#include <cmath>

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

// The reduction of function(x, target).
template <class Op, class Function>
std::unique_ptr<plugin::Plan> plan_loss(plugin::Request& request, op::Reduction reduction,
                                        Function function) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"x", floating}, {"target", floating}}, {{"loss", floating}});
  check.same_dims(request.inputs[1], "target", request.inputs[0]);
  check_loss(check, reduction, request.outputs[0], request.inputs[0]);
  return make_plan<Op>(request, [reduction, function](const Call& call) {
    auto losses = call.load(0);
    const auto target = call.load(1);
    for (std::size_t i = 0; i < losses.size(); ++i) losses[i] = function(losses[i], target[i]);
    call.store(0, reduce(std::move(losses), reduction));
  });
}

// dx = derivative(x, target) * dloss.
template <class Op, class Derivative>
std::unique_ptr<plugin::Plan> plan_loss_gradient(plugin::Request& request, op::Reduction reduction,
                                                 Derivative derivative) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"dloss", floating}, {"x", floating}, {"target", floating}}, {{"dx", floating}});
  const bp_tensor_desc& x = request.inputs[1];
  check.same_dims(request.inputs[2], "target", x);
  check.same_dims(request.outputs[0], "dx", x);
  check_loss(check, reduction, request.inputs[0], x);
  return make_plan<Op>(request, [reduction, derivative](const Call& call) {
    auto dx = call.load(1);
    const auto target = call.load(2);
    const auto dloss = spread(call.load(0), reduction, static_cast<std::int64_t>(dx.size()));
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = derivative(dx[i], target[i]) * dloss[i];
    call.store(0, std::move(dx));
  });
}

double sign(double value) {
  if (value == 0) return 0;
  return value > 0 ? 1 : value < 0 ? -1 : value;
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Mse& op, plugin::Request& request) {
  return plan_loss<op::Mse>(request, op.reduction,
                            [](double x, double target) { return (x - target) * (x - target); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::MseBackward& op,
                                                    plugin::Request& request) {
  return plan_loss_gradient<op::MseBackward>(
      request, op.reduction, [](double x, double target) { return 2 * (x - target); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::L1& op, plugin::Request& request) {
  return plan_loss<op::L1>(request, op.reduction,
                           [](double x, double target) { return std::abs(x - target); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::L1Backward& op,
                                                    plugin::Request& request) {
  return plan_loss_gradient<op::L1Backward>(
      request, op.reduction, [](double x, double target) { return sign(x - target); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Huber& op, plugin::Request& request) {
  return plan_loss<op::Huber>(
      request, op.reduction, [delta = double{op.delta}](double x, double target) {
        const double distance = std::abs(x - target);
        return distance <= delta ? distance * distance / 2 : delta * (distance - delta / 2);
      });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::HuberBackward& op,
                                                    plugin::Request& request) {
  return plan_loss_gradient<op::HuberBackward>(request, op.reduction,
                                               [delta = double{op.delta}](double x, double target) {
                                                 const double difference = x - target;
                                                 if (difference > delta) return delta;
                                                 return difference < -delta ? -delta : difference;
                                               });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::BceWithLogits& op,
                                                    plugin::Request& request) {
  return plan_loss<op::BceWithLogits>(request, op.reduction, [](double x, double target) {
    return (x < 0 ? 0 : x) - x * target + std::log1p(std::exp(-std::abs(x)));
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::BceWithLogitsBackward& op,
                                                    plugin::Request& request) {
  return plan_loss_gradient<op::BceWithLogitsBackward>(
      request, op.reduction,
      [](double x, double target) { return 1 / (1 + std::exp(-x)) - target; });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::KlDiv& op, plugin::Request& request) {
  return plan_loss<op::KlDiv>(request, op.reduction,
                              [log_target = op.log_target != 0](double x, double target) {
                                if (log_target) return std::exp(target) * (target - x);
                                return target * ((target == 0 ? 0 : std::log(target)) - x);
                              });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::KlDivBackward& op,
                                                    plugin::Request& request) {
  return plan_loss_gradient<op::KlDivBackward>(
      request, op.reduction, [log_target = op.log_target != 0](double, double target) {
        return log_target ? -std::exp(target) : -target;
      });
}

}  // namespace backplane::reference
