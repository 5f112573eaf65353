// Functions of one element: neg, abs, sign, exp, log, sqrt, rsqrt, square, reciprocal, clamp; and
// the gradients of abs and clamp.
#include "unary.hpp"
#include "backend.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Neg&, plugin::Request& request) {
  return plan_unary<op::Neg>(request, Map{cpu::Neg{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Abs&, plugin::Request& request) {
  return plan_unary<op::Abs>(request, Map{cpu::Abs{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::AbsBackward&, plugin::Request& request) {
  return plan_gradient<op::AbsBackward>(request, "x", MapGradient{cpu::Abs{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Sign&, plugin::Request& request) {
  return plan_unary<op::Sign>(request, Map{cpu::Sign{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Exp&, plugin::Request& request) {
  return plan_unary<op::Exp>(request, Map{cpu::Exp{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Log&, plugin::Request& request) {
  return plan_unary<op::Log>(request, Map{cpu::Log{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Sqrt&, plugin::Request& request) {
  return plan_unary<op::Sqrt>(request, Map{cpu::Sqrt{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Rsqrt&, plugin::Request& request) {
  return plan_unary<op::Rsqrt>(request, Map{cpu::Rsqrt{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Square&, plugin::Request& request) {
  return plan_unary<op::Square>(request, Map{cpu::Square{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Reciprocal&, plugin::Request& request) {
  return plan_unary<op::Reciprocal>(request, Map{cpu::Reciprocal{}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Clamp& op, plugin::Request& request) {
  return plan_unary<op::Clamp>(request, Map{cpu::Clamp{op.min, op.max}});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::ClampBackward& op,
                                                 plugin::Request& request) {
  return plan_gradient<op::ClampBackward>(request, "x", MapGradient{cpu::Clamp{op.min, op.max}});
}

}  // namespace backplane::onednn
