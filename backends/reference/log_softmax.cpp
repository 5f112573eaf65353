// log_softmax and its gradient.
#include "backend.hpp"
#include "lines.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

void log_softmax(const Call& call, const Lines& lines) {
  const auto x = call.load(0);
  std::vector<double> y(x.size());
  lines.for_each([&](std::int64_t first) {
    const auto [max, sum] = exponential_sum(x, lines, first);
    for (std::int64_t i = 0; i < lines.length; ++i) {
      const std::int64_t at = first + i * lines.step;
      y[at] = x[at] - max - std::log(sum);
    }
  });
  call.store(0, std::move(y));
}

void log_softmax_backward(const Call& call, const Lines& lines) {
  const auto dy = call.load(0), y = call.load(1);
  std::vector<double> dx(y.size());
  lines.for_each([&](std::int64_t first) {
    double sum = 0;
    for (std::int64_t i = 0; i < lines.length; ++i) sum += dy[first + i * lines.step];
    for (std::int64_t i = 0; i < lines.length; ++i) {
      const std::int64_t at = first + i * lines.step;
      dx[at] = dy[at] - std::exp(y[at]) * sum;
    }
  });
  call.store(0, std::move(dx));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::LogSoftmax& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::LogSoftmax>, request);
  const Lines lines = forward_lines(check, request, op.axis);
  return make_plan<op::LogSoftmax>(request,
                                   [lines](const Call& call) { log_softmax(call, lines); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::LogSoftmaxBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::LogSoftmaxBackward>, request);
  const Lines lines = backward_lines(check, request, op.axis);
  return make_plan<op::LogSoftmaxBackward>(
      request, [lines](const Call& call) { log_softmax_backward(call, lines); });
}

}  // namespace backplane::reference
