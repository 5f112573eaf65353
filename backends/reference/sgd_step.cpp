// sgd_step: one step of gradient descent on many parameters.
#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

void step(const Call& call, const op::SgdStep& op, std::size_t index) {
  const auto scalars = call.scalars<op::SgdStep>();
  const std::size_t count = op.count;
  auto parameter = call.load(index), gradient = call.load(count + index);
  for (std::size_t i = 0; i < parameter.size(); ++i) {
    gradient[i] += scalars.weight_decay * parameter[i];
  }
  auto direction = gradient;
  if (op.momentum != 0) {
    auto m = call.load(2 * count + index);
    for (std::size_t i = 0; i < m.size(); ++i) {
      const double g = gradient[i];
      m[i] = scalars.first != 0 ? g : scalars.momentum * m[i] + (1.0 - scalars.dampening) * g;
      direction[i] = op.nesterov != 0 ? g + scalars.momentum * m[i] : m[i];
    }
    call.store(count + index, std::move(m));
  }
  for (std::size_t i = 0; i < parameter.size(); ++i) parameter[i] -= scalars.rate * direction[i];
  call.store(index, std::move(parameter));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::SgdStep& op,
                                                    plugin::Request& request) {
  const std::uint64_t kept = op.momentum != 0 ? 2 : 1;  // parameters, momentum buffers
  Check(op::row_of<op::SgdStep>, request).multi_tensor(op.count, kept + 1, kept);
  return make_plan<op::SgdStep>(request, [op](const Call& call) {
    if (call.faults.set()) return;
    for (std::size_t i = 0; i < op.count; ++i) step(call, op, i);
  });
}

}  // namespace backplane::reference
