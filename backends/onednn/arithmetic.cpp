// Arithmetic on two operands: add, sub, mul, div, pow, maximum, minimum.
#include "cpu/arithmetic.h"

#include "backend.hpp"
#include "binary.hpp"

namespace backplane::onednn {
namespace {

// A function of cpu/arithmetic.h in the form that plans take.
template <class Function>
struct MapPair {
  void operator()(cpu::Plane plane, auto a, auto b, auto dst) const {
    cpu::map(Function(), plane, a, b, dst);
  }
};

constexpr PairNames names{"a", "b", "y"};

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Add&, plugin::Request& request) {
  return plan_binary<op::Add>(request, MapPair<cpu::Add>());
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Sub&, plugin::Request& request) {
  return plan_binary<op::Sub>(request, MapPair<cpu::Sub>());
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Mul&, plugin::Request& request) {
  return plan_binary<op::Mul>(request, MapPair<cpu::Mul>());
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Div&, plugin::Request& request) {
  return plan_floats<op::Div>(request, names, MapPair<cpu::Div>());
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Pow&, plugin::Request& request) {
  return plan_floats<op::Pow>(request, names, MapPair<cpu::Pow>());
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Maximum&, plugin::Request& request) {
  return plan_binary<op::Maximum>(request, MapPair<cpu::Maximum>());
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Minimum&, plugin::Request& request) {
  return plan_binary<op::Minimum>(request, MapPair<cpu::Minimum>());
}

}  // namespace backplane::onednn
