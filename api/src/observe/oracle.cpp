// The oracle: judges one operation's outputs against the reference back end, element by element.
#include "backplane/observe/oracle.hpp"

#include <cmath>
#include <limits>

#include "backplane/plugin/abi.h"
#include "check.hpp"
#include "observe/bounds.hpp"
#include "observe/reference_run.hpp"
#include "observe/values.hpp"

namespace backplane {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Error over bound. NaN matches only NaN, an infinity only itself.
double error_ratio(double value, double expected, double bound, bool exact) {
  if (std::isnan(value) || std::isnan(expected)) {
    return std::isnan(value) && std::isnan(expected) ? 0 : infinite;
  }
  if (value == expected) {
    const bool zero_differs = bound == 0 && std::signbit(value) != std::signbit(expected);
    return zero_differs ? infinite : 0;
  }
  if (exact || bound == 0 || std::isinf(value) || std::isinf(expected)) return infinite;
  const double ratio = std::abs(value - expected) / bound;
  return std::isnan(ratio) ? infinite : ratio;
}

// 64-bit integers beyond 2^53 have no double of their own.
std::vector<double> ratios(const Tensor& value, const Tensor& expected,
                           const std::vector<double>& bound, bool exact) {
  std::vector<double> result(bound.size());
  if (value.dtype() == DType::i64) {
    const auto a = value.data<std::int64_t>(), b = expected.data<std::int64_t>();
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = a[i] == b[i] ? 0 : infinite;
    return result;
  }
  const std::vector<double> a = detail::as_doubles(value), b = detail::as_doubles(expected);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = error_ratio(a[i], b[i], bound[i], exact);
  return result;
}

void check_same_kind(const Tensor& output, const Tensor& expected, std::size_t i) {
  if (output.dtype() == expected.dtype() && output.shape() == expected.shape()) return;
  detail::reject("judge: output {} must be {}{}, it is {}{}", i, to_string(expected.dtype()),
                 to_string(expected.shape()), to_string(output.dtype()), to_string(output.shape()));
}

}  // namespace

Expectation expect(const Operation& operation, std::span<const Tensor> inputs,
                   std::span<const Tensor> outputs, std::uint32_t adds_to,
                   std::span<const Tensor> previous) {
  if (operation.row().id >= BP_FIRST_NAMED_ID) {
    detail::fail(ErrorCode::unsupported,
                 "oracle: {} is an operation of a plug-in, which no reference defines; judge it by "
                 "answers of your own",
                 operation.name());
  }
  std::vector<TensorSpec> specs;
  for (const Tensor& output : outputs) {
    specs.push_back({.dtype = output.dtype(), .shape = output.shape()});
  }
  Expectation expectation;
  expectation.outputs = detail::run_on_reference(operation, inputs, specs, adds_to, previous);
  expectation.bounds =
      detail::error_bounds({operation, inputs, expectation.outputs, adds_to, previous, numerics()});
  return expectation;
}

Judgement judge(const Expectation& expected, std::span<const Tensor> outputs, bool exact) {
  if (outputs.size() != expected.outputs.size()) {
    detail::reject("judge: {} outputs are expected, {} were given", expected.outputs.size(),
                   outputs.size());
  }
  Judgement judgement;
  bool all_empty = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_same_kind(outputs[i], expected.outputs[i], i);
    const Tensor value = detail::host_copy(outputs[i]);
    const std::vector<double> ratio = ratios(value, expected.outputs[i], expected.bounds[i], exact);
    all_empty &= ratio.empty();
    judgement.compared += static_cast<std::int64_t>(ratio.size());
    std::size_t worst = ratio.size();
    for (std::size_t k = 0; k < ratio.size(); ++k) {
      if (ratio[k] <= judgement.worst_error_over_bound) continue;
      judgement.worst_error_over_bound = ratio[k];
      worst = k;
    }
    if (worst == ratio.size()) continue;
    judgement.worst_output = i;
    judgement.worst_index = static_cast<std::int64_t>(worst);
    judgement.worst_value = detail::as_doubles(value)[worst];
    judgement.worst_expected = detail::as_doubles(expected.outputs[i])[worst];
  }
  judgement.agrees = judgement.worst_error_over_bound <= 1 && (judgement.compared > 0 || all_empty);
  return judgement;
}

}  // namespace backplane
