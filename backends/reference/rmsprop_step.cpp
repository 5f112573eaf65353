// rmsprop_step: one step of RMSprop on many parameters.
#include <cmath>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

// sqrt(v - a^2); what rounding has made negative counts as 0.
double deviation(double v, double a) {
  const double variance = v - a * a;
  return std::sqrt(variance < 0 ? 0 : variance);
}

void step(const Call& call, const op::RmspropStep& op, std::size_t index) {
  const auto s = call.scalars<op::RmspropStep>();
  const std::size_t count = op.count, after_v = op.centered != 0 ? 4 : 3;
  auto p = call.load(index), v = call.load(2 * count + index);
  const auto gradient = call.load(count + index);
  std::vector<double> a(p.size()), m(p.size());
  if (op.centered != 0) a = call.load(3 * count + index);
  if (op.momentum != 0) m = call.load(after_v * count + index);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double g = gradient[i] + s.weight_decay * p[i];
    v[i] = s.alpha * v[i] + (1.0 - s.alpha) * g * g;
    if (op.centered != 0) a[i] = s.alpha * a[i] + (1.0 - s.alpha) * g;
    const double direction = g / (deviation(v[i], a[i]) + s.epsilon);
    m[i] = op.momentum != 0 ? s.momentum * m[i] + direction : direction;
    p[i] -= s.rate * m[i];
  }
  call.store(index, std::move(p));
  call.store(count + index, std::move(v));
  if (op.centered != 0) call.store(2 * count + index, std::move(a));
  if (op.momentum != 0) call.store((after_v - 1) * count + index, std::move(m));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::RmspropStep& op,
                                                    plugin::Request& request) {
  const std::uint64_t kept = 2 + (op.centered != 0 ? 1 : 0) + (op.momentum != 0 ? 1 : 0);
  Check(op::row_of<op::RmspropStep>, request).multi_tensor(op.count, kept + 1, kept);
  return make_plan<op::RmspropStep>(request, [op](const Call& call) {
    if (call.faults.set()) return;
    for (std::size_t i = 0; i < op.count; ++i) step(call, op, i);
  });
}

}  // namespace backplane::reference
