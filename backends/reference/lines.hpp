// The lines of elements along one axis of a dense tensor, and the sum of exponentials of one.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"

namespace backplane::reference {

// Element i of a line lies at first + i * step.
struct Lines {
  std::int64_t outer, length, step;

  // Calls visit(first) for each line.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t i = 0; i < outer; ++i) {
      for (std::int64_t j = 0; j < step; ++j) visit(i * length * step + j);
    }
  }
};

// A scalar has one line, of its one element, along axis 0.
[[nodiscard]] inline Lines lines_along(const Check& check, const bp_tensor_desc& desc,
                                       std::int32_t axis) {
  const auto rank = static_cast<std::int32_t>(desc.rank);
  check.that(0 <= axis && axis < std::max(rank, 1),
             "axis " + std::to_string(axis) + " is not one of rank " + std::to_string(rank));
  Lines lines{1, rank == 0 ? 1 : desc.dims[axis], 1};
  for (std::int32_t i = 0; i < axis; ++i) lines.outer *= desc.dims[i];
  for (std::int32_t i = axis + 1; i < rank; ++i) lines.step *= desc.dims[i];
  return lines;
}

// The lines of an operation x -> y of equal dims, and of its gradient dy, y -> dx, with the rules
// for their arguments checked.
[[nodiscard]] inline Lines forward_lines(Check& check, const plugin::Request& request,
                                         std::int32_t axis) {
  check.arguments({{"x", floating}}, {{"y", floating}});
  check.same_dims(request.inputs[0], "x", request.outputs[0]);
  return lines_along(check, request.inputs[0], axis);
}

[[nodiscard]] inline Lines backward_lines(Check& check, const plugin::Request& request,
                                          std::int32_t axis) {
  check.arguments({{"dy", floating}, {"y", floating}}, {{"dx", floating}});
  check.same_dims(request.inputs[0], "dy", request.outputs[0]);
  check.same_dims(request.inputs[1], "y", request.outputs[0]);
  return lines_along(check, request.inputs[0], axis);
}

// The sum of exp(x - max): taking the maximum off first keeps it from overflowing.
struct ExponentialSum {
  double max, sum;
};

[[nodiscard]] inline ExponentialSum exponential_sum(const std::vector<double>& x,
                                                    const Lines& lines, std::int64_t first) {
  ExponentialSum result{-std::numeric_limits<double>::infinity(), 0};
  for (std::int64_t i = 0; i < lines.length; ++i) {
    result.max = std::max(result.max, x[first + i * lines.step]);  // a NaN shows in the sum
  }
  for (std::int64_t i = 0; i < lines.length; ++i) {
    result.sum += std::exp(x[first + i * lines.step] - result.max);
  }
  return result;
}

}  // namespace backplane::reference
