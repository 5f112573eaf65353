// adam_step: one step of Adam or AdamW on many parameters.
#include <cmath>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

void step(const Call& call, const op::AdamStep& op, std::size_t index) {
  const auto s = call.scalars<op::AdamStep>();
  const std::size_t count = op.count;
  auto parameter = call.load(index);
  const auto gradient = call.load(count + index);
  auto m = call.load(2 * count + index), v = call.load(3 * count + index);
  for (std::size_t i = 0; i < parameter.size(); ++i) {
    double& p = parameter[i];
    double g = gradient[i];
    if (op.decoupled != 0) {
      p *= 1.0 - double{s.rate} * s.weight_decay;
    } else {
      g += s.weight_decay * p;
    }
    m[i] = s.beta1 * m[i] + (1.0 - s.beta1) * g;
    v[i] = s.beta2 * v[i] + (1.0 - s.beta2) * g * g;
    p -= double{s.rate} / s.correction1 * m[i] / (std::sqrt(v[i] / s.correction2) + s.epsilon);
  }
  call.store(index, std::move(parameter));
  call.store(count + index, std::move(m));
  call.store(2 * count + index, std::move(v));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::AdamStep& op,
                                                    plugin::Request& request) {
  Check(op::row_of<op::AdamStep>, request).multi_tensor(op.count, 4, 3);
  return make_plan<op::AdamStep>(request, [op](const Call& call) {
    if (call.faults.set()) return;
    for (std::size_t i = 0; i < op.count; ++i) step(call, op, i);
  });
}

}  // namespace backplane::reference
