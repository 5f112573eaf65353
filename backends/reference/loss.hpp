// How per-element losses become the result, and the result's gradient that of each loss.
#pragma once

#include <numeric>
#include <vector>

#include "check.hpp"

namespace backplane::reference {

inline void check_reduction(const Check& check, op::Reduction reduction) {
  check.that(reduction <= op::Reduction::none,
             "reduction " + std::to_string(static_cast<std::uint32_t>(reduction)) + " is unknown");
}

// An empty sum is 0, an empty mean NaN.
[[nodiscard]] inline std::vector<double> reduce(std::vector<double> losses,
                                                op::Reduction reduction) {
  if (reduction == op::Reduction::none) return losses;
  const double sum = std::accumulate(losses.begin(), losses.end(), 0.0);
  const bool mean = reduction == op::Reduction::mean;
  return {mean ? sum / static_cast<double>(losses.size()) : sum};
}

// The gradient of each of `count` losses.
[[nodiscard]] inline std::vector<double> spread(std::vector<double> dloss, op::Reduction reduction,
                                                std::int64_t count) {
  if (reduction == op::Reduction::none) return dloss;
  const bool mean = reduction == op::Reduction::mean;
  const double each = mean ? dloss[0] / static_cast<double>(count) : dloss[0];
  return std::vector<double>(static_cast<std::size_t>(count), each);
}

}  // namespace backplane::reference
