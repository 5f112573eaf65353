// What each way to compute a convolution would cost, and which is the cheapest: a function of the
// shape and of the width of vectors, never of measurements, so that the choice is the same
// everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cpu/conv_shape.h"

namespace backplane::cpu {

// Floats in a vector of the instruction set that the kernels run on.
[[nodiscard]] std::int64_t vector_lanes();

// library: the vendor's, by direct sums.
enum class ConvAlgorithm { winograd_4, winograd_6, direct, library };
inline constexpr std::array conv_algorithms{ConvAlgorithm::winograd_4, ConvAlgorithm::winograd_6,
                                            ConvAlgorithm::direct, ConvAlgorithm::library};
[[nodiscard]] const char* name_of(ConvAlgorithm algorithm);

struct ConvQuestion {
  ConvShape shape;
  std::int64_t lanes;
  // Sums to the letter of IEEE: no Winograd.
  bool strict = false;
  // As in ConvEpilogue; what can't pool by itself is left out.
  std::int64_t pool = 1;
  // The weight was packed once, for many runs.
  bool prepared = false;
};

// Cycles of one thread, in the order of conv_algorithms; infinite: can't compute it.
struct ConvCosts {
  std::array<double, conv_algorithms.size()> cycles;

  [[nodiscard]] double of(ConvAlgorithm algorithm) const {
    return cycles[static_cast<std::size_t>(algorithm)];
  }
  [[nodiscard]] ConvAlgorithm best() const;
};
[[nodiscard]] ConvCosts conv_costs(const ConvQuestion& question);

// The same for the gradient of the weight by direct_conv.h; the library's is that of the
// convolution.
[[nodiscard]] double direct_backward_weight_cycles(const ConvQuestion& question);

// For people: a line for each candidate, with its cycles, the chosen one marked.
[[nodiscard]] std::string explain(const ConvCosts& costs);

}  // namespace backplane::cpu
