// softmax and its gradient.
#include "backend.hpp"
#include "lines.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

void softmax(const Call& call, const Lines& lines) {
  const auto x = call.load(0);
  std::vector<double> y(x.size());
  lines.for_each([&](std::int64_t first) {
    const auto [max, sum] = exponential_sum(x, lines, first);
    for (std::int64_t i = 0; i < lines.length; ++i) {
      const std::int64_t at = first + i * lines.step;
      y[at] = std::exp(x[at] - max) / sum;
    }
  });
  call.store(0, std::move(y));
}

void softmax_backward(const Call& call, const Lines& lines) {
  const auto dy = call.load(0), y = call.load(1);
  std::vector<double> dx(y.size());
  lines.for_each([&](std::int64_t first) {
    double sum = 0;
    for (std::int64_t i = 0; i < lines.length; ++i) {
      const std::int64_t at = first + i * lines.step;
      sum += dy[at] * y[at];
    }
    for (std::int64_t i = 0; i < lines.length; ++i) {
      const std::int64_t at = first + i * lines.step;
      dx[at] = y[at] * (dy[at] - sum);
    }
  });
  call.store(0, std::move(dx));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Softmax& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Softmax>, request);
  const Lines lines = forward_lines(check, request, op.axis);
  return make_plan<op::Softmax>(request, [lines](const Call& call) { softmax(call, lines); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::SoftmaxBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::SoftmaxBackward>, request);
  const Lines lines = backward_lines(check, request, op.axis);
  return make_plan<op::SoftmaxBackward>(
      request, [lines](const Call& call) { softmax_backward(call, lines); });
}

}  // namespace backplane::reference
