// What convolutions of kernels/cpu are judged by: plain loops in double.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cpu/conv_epilogue.h"
#include "cpu/conv_shape.h"

namespace kernels_test {

namespace cpu = backplane::cpu;

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

// A convolution with its operands; `bias` and `mask` may be empty.
struct Problem {
  cpu::ConvShape shape;
  Floats src, weight, bias, mask;

  [[nodiscard]] std::string text() const;
};

enum class Values {
  random,       // normal
  mostly_zero,  // one in sixteen, some of them large
};
[[nodiscard]] Floats values(std::int64_t count, Values kind, std::mt19937& random);
// With a bias; the mask drops a quarter of the planes.
[[nodiscard]] Problem make_problem(const cpu::ConvShape& shape, Values kind, bool with_mask,
                                   unsigned seed);

// Sums and bias, and the sums of magnitudes; [images, outputs, out_height, out_width].
struct Sums {
  Doubles value, magnitude;
};
[[nodiscard]] Sums convolve(const Problem& problem);

// Products in a sum.
[[nodiscard]] std::int64_t taps_of(const cpu::ConvShape& shape);

// The gradient of the weight and, behind it, of the bias.
[[nodiscard]] Sums weight_gradient(const Problem& problem, const Floats& diff_dst);

// For each sum, over its tile of side x side outputs: the sum over channels of (sum of |weight|) *
// (largest |src| that the tile reads), and |bias|.
[[nodiscard]] Doubles tile_magnitudes(const Problem& problem, std::int64_t side);

// dst after the epilogue, from sums: pool, relu and mask, but no winners. bound: how far each of
// the sums may be off; the same for dst.
struct Finished {
  Doubles value, bound;
};
[[nodiscard]] Finished finish(const Problem& problem, const cpu::ConvEpilogue& epilogue,
                              const Doubles& sums, const Doubles& bound);

// What is wrong with dst and its winners; empty: nothing. worst gets the largest error over bound.
[[nodiscard]] std::string fault(const Problem& problem, const cpu::ConvEpilogue& epilogue,
                                const Doubles& sums, const Doubles& bound, const Floats& dst,
                                double* worst = nullptr);

}  // namespace kernels_test
