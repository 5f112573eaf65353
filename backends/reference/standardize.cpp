// standardize and its gradient: lines brought to mean 0 and variance 1.
#include <cmath>

#include "backend.hpp"
#include "reduce.hpp"

namespace backplane::reference {
namespace {

struct Lines {
  bp_tensor_desc line_of_each;  // a walk over x that says to which line each element belongs
  std::int64_t count;
  double length;
  double epsilon;

  // For each line, the mean of its values.
  [[nodiscard]] std::vector<double> means(const std::vector<double>& values) const {
    auto result = sums(values, line_of_each, count);
    for (double& value : result) value /= length;  // 0 / 0, a NaN, where there are none
    return result;
  }

  // Calls visit(element, line) in row-major order.
  template <class Visit>
  void for_each(Visit visit) const {
    std::size_t element = 0;
    for_each_offset(line_of_each, [&](std::int64_t line) { visit(element++, line); });
  }
};

void standardize(const Call& call, const Lines& lines) {
  auto y = call.load(0);
  auto mean = lines.means(y);
  lines.for_each([&](std::size_t i, std::int64_t line) { y[i] -= mean[line]; });
  std::vector<double> squares(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) squares[i] = y[i] * y[i];
  auto variance = lines.means(squares);
  lines.for_each(
      [&](std::size_t i, std::int64_t line) { y[i] /= std::sqrt(variance[line] + lines.epsilon); });
  call.store(0, std::move(y));
  call.store(1, std::move(mean));
  call.store(2, std::move(variance));
}

void standardize_backward(const Call& call, const Lines& lines) {
  const auto dy = call.load(0), y = call.load(1), variance = call.load(2);
  std::vector<double> dx(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) dx[i] = dy[i] * y[i];
  const auto mean = lines.means(dy), mean_of_products = lines.means(dx);
  lines.for_each([&](std::size_t i, std::int64_t line) {
    const double centred = dy[i] - mean[line] - y[i] * mean_of_products[line];
    dx[i] = centred / std::sqrt(variance[line] + lines.epsilon);
  });
  call.store(0, std::move(dx));
}

Lines lines_of(const Check& check, const op::StandardizeParams& params, const bp_tensor_desc& x,
               const bp_tensor_desc& variance) {
  check.that(params.epsilon >= 0, "epsilon must be a number from 0 on");
  check.that(params.axes >> x.rank == 0,
             "an axis is past the rank of x, " + std::to_string(x.rank));
  check.same_dims(variance, "variance", reduced(x, params.axes));
  double length = 1;
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    if ((params.axes >> axis & 1) != 0) length *= static_cast<double>(x.dims[axis]);
  }
  return {target_of_each(x, params.axes), element_count(variance), length, params.epsilon};
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Standardize& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Standardize>, request);
  check.arguments({{"x", floating}}, {{"y", floating}, {"mean", floating}, {"variance", floating}});
  check.same_dims(request.outputs[0], "y", request.inputs[0]);
  check.same_dims(request.outputs[1], "mean", request.outputs[2]);
  const Lines lines = lines_of(check, op, request.inputs[0], request.outputs[2]);
  return make_plan<op::Standardize>(request,
                                    [lines](const Call& call) { standardize(call, lines); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::StandardizeBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::StandardizeBackward>, request);
  check.arguments({{"dy", floating}, {"y", floating}, {"variance", floating}}, {{"dx", floating}});
  check.same_dims(request.inputs[0], "dy", request.outputs[0]);
  check.same_dims(request.inputs[1], "y", request.outputs[0]);
  const Lines lines = lines_of(check, op, request.outputs[0], request.inputs[2]);
  return make_plan<op::StandardizeBackward>(
      request, [lines](const Call& call) { standardize_backward(call, lines); });
}

}  // namespace backplane::reference
