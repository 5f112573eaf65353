// Functions of one element: neg, abs, sign, exp, log, sqrt, rsqrt, square, reciprocal, clamp; and
// the gradients of abs and clamp.
#include "elementwise.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Neg&, plugin::Request& request) {
  return plan_unary<op::Neg>(request, kernel::neg_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Abs&, plugin::Request& request) {
  return plan_unary<op::Abs>(request, kernel::abs_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::AbsBackward&, plugin::Request& request) {
  return plan_gradient<op::AbsBackward>(request, "x", kernel::abs_backward_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Sign&, plugin::Request& request) {
  return plan_unary<op::Sign>(request, kernel::sign_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Exp&, plugin::Request& request) {
  return plan_unary<op::Exp>(request, kernel::exp_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Log&, plugin::Request& request) {
  return plan_unary<op::Log>(request, kernel::log_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Sqrt&, plugin::Request& request) {
  return plan_unary<op::Sqrt>(request, kernel::sqrt_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Rsqrt&, plugin::Request& request) {
  return plan_unary<op::Rsqrt>(request, kernel::rsqrt_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Square&, plugin::Request& request) {
  return plan_unary<op::Square>(request, kernel::square_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Reciprocal&, plugin::Request& request) {
  return plan_unary<op::Reciprocal>(request, kernel::reciprocal_float);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Clamp& op, plugin::Request& request) {
  return plan_unary<op::Clamp>(request, kernel::clamp_float, op.min, op.max);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::ClampBackward& op, plugin::Request& request) {
  return plan_gradient<op::ClampBackward>(request, "x", kernel::clamp_backward_float, op.min,
                                          op.max);
}

}  // namespace backplane::card
