// gradient_norm, clip_by_norm and clip_by_value, over many gradients.
#include <cmath>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

// Every element of every tensor, where it lies.
template <class Op, class Function>
void update(const Call& call, const Op& op, Function function) {
  for (std::size_t i = 0; i < op.count; ++i) {
    auto tensor = call.load(i);
    for (double& element : tensor) element = function(element);
    call.store(i, std::move(tensor));
  }
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::GradientNorm& op,
                                                    plugin::Request& request) {
  Check(op::row_of<op::GradientNorm>, request).multi_tensor(op.count, 1, 0, 0, 1);
  return make_plan<op::GradientNorm>(request, [op](const Call& call) {
    double sum = 0;
    for (std::size_t i = 0; i < op.count; ++i) {
      for (const double element : call.load(i)) sum += element * element;
    }
    call.store(0, std::vector<double>{std::sqrt(sum)});
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ClipByNorm& op,
                                                    plugin::Request& request) {
  Check(op::row_of<op::ClipByNorm>, request).multi_tensor(op.count, 1, 1, 1, 0);
  return make_plan<op::ClipByNorm>(request, [op](const Call& call) {
    const double max_norm = call.scalars<op::ClipByNorm>().max_norm;
    const double factor = max_norm / (call.load(op.count)[0] + 1e-6);
    if (factor >= 1) return;
    update(call, op, [factor](double element) { return element * factor; });
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ClipByValue& op,
                                                    plugin::Request& request) {
  Check(op::row_of<op::ClipByValue>, request).multi_tensor(op.count, 1, 1);
  return make_plan<op::ClipByValue>(request, [op](const Call& call) {
    const double limit = call.scalars<op::ClipByValue>().limit;
    update(call, op, [limit](double element) {
      return element > limit ? limit : element < -limit ? -limit : element;
    });
  });
}

}  // namespace backplane::reference
