// The cost model of convolutions. Its constants are rounded measurements of the kernels beside it
// (README.md, journal), in cycles for a vector.
#include "cpu/conv_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "cpu/winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv_cost.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

std::int64_t lanes() {
  return static_cast<std::int64_t>(
      hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<float>()));
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(lanes);

std::int64_t vector_lanes() {
  return HWY_DYNAMIC_DISPATCH(lanes)();
}

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
// Vectors multiplied and added in a cycle.
constexpr double products_per_cycle = 2;

constexpr std::int64_t parts_of(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

std::int64_t taps_of(const ConvShape& shape) {
  return shape.channels / shape.groups * shape.kernel[0] * shape.kernel[1];
}

// Cycles for a vector of tiles, or of channels of a filter.
struct TileCosts {
  double input, output, partial, filter;
};
constexpr TileCosts costs_of_4{420, 330, 200, 420};
constexpr TileCosts costs_of_6{620, 600, 350, 650};

double winograd_cost(const ConvQuestion& question, WinogradTile tile) {
  const ConvShape& shape = question.shape;
  if (question.strict || !winograd_computes(shape)) return never;
  if (!winograd_pools(tile, question.pool)) return never;
  const bool six = tile == WinogradTile::six;
  const TileCosts& costs = six ? costs_of_6 : costs_of_4;
  const std::int64_t side = static_cast<int>(tile), points = (side + 2) * (side + 2);
  const std::int64_t height = shape.out_height(), width = shape.out_width();
  const std::int64_t tiles = shape.images * parts_of(height, side) * parts_of(width, side);
  const auto vectors = static_cast<double>(parts_of(tiles, question.lanes));
  const auto channels = static_cast<double>(shape.channels);
  const auto outputs = static_cast<double>(shape.outputs);

  // A vector alone waits for its weights; two share them.
  const double efficiency = vectors > 1 ? 0.95 : 0.7;
  const double products =
      vectors * static_cast<double>(points) * channels * outputs / products_per_cycle / efficiency;
  const bool whole = height % side == 0 && width % side == 0;
  const double output = costs.output + (whole || question.pool > 1 ? 0 : costs.partial);
  double cycles = products + vectors * (channels * costs.input + outputs * output);

  // Weights that don't stay in the second cache come by once for each pair of vectors.
  constexpr double bytes_that_stay = 1.5e6, bytes_per_cycle = 16, packed_per_cycle = 5;
  const auto bytes =
      static_cast<double>(winograd_packed_bytes(tile, shape.outputs, shape.channels));
  const bool streams = bytes > bytes_that_stay;
  if (streams) cycles += std::ceil(vectors / 2) * bytes / bytes_per_cycle;
  if (!question.prepared) {
    cycles +=
        outputs * static_cast<double>(parts_of(shape.channels, question.lanes)) * costs.filter;
    if (streams) cycles += bytes / packed_per_cycle;
  }
  return cycles;
}

// The padded copy of direct sums, column by column where a stride pulls them apart.
double copy_cost(const ConvShape& shape) {
  const double each = shape.stride[1] == 1 ? 0.3 : 1.5;
  return each * static_cast<double>(shape.images * shape.channels * shape.height * shape.width);
}

double direct_cost(const ConvQuestion& question) {
  const ConvShape& shape = question.shape;
  if (question.pool > 1) return never;
  const std::int64_t vectors =
      shape.images * shape.out_height() * parts_of(shape.out_width(), question.lanes);
  // Few outputs of a group are few sums in flight, which wait for each other.
  constexpr std::int64_t outputs_in_flight = 4;
  constexpr double store = 6;
  const std::int64_t at_once = std::min(shape.outputs / shape.groups, outputs_in_flight);
  const double efficiency =
      0.8 * static_cast<double>(at_once) / static_cast<double>(outputs_in_flight);
  const double each = static_cast<double>(taps_of(shape)) / products_per_cycle / efficiency + store;
  return static_cast<double>(vectors * shape.outputs) * each + copy_cost(shape);
}

// Best in blocks of channels as wide as a vector; few channels leave lanes empty.
double library_cost(const ConvQuestion& question) {
  const ConvShape& shape = question.shape;
  if (question.pool > 1) return never;
  const std::int64_t channels = shape.channels / shape.groups;
  const std::int64_t outputs = shape.outputs / shape.groups;
  const bool blocked = channels % question.lanes == 0 && outputs % question.lanes == 0;
  constexpr std::int64_t few = 8;
  const double efficiency = blocked ? 0.9 : channels >= few ? 0.75 : 0.6;
  const double products = static_cast<double>(shape.images * shape.out_height() *
                                              shape.out_width() * shape.outputs * taps_of(shape));
  return products / static_cast<double>(question.lanes) / products_per_cycle / efficiency;
}

}  // namespace

const char* name_of(ConvAlgorithm algorithm) {
  switch (algorithm) {
    case ConvAlgorithm::winograd_4:
      return "winograd F(4x4, 3x3)";
    case ConvAlgorithm::winograd_6:
      return "winograd F(6x6, 3x3)";
    case ConvAlgorithm::direct:
      return "direct";
    case ConvAlgorithm::library:
      return "library";
  }
  return "";
}

ConvAlgorithm ConvCosts::best() const {
  return conv_algorithms[static_cast<std::size_t>(std::ranges::min_element(cycles) -
                                                  cycles.begin())];
}

ConvCosts conv_costs(const ConvQuestion& question) {
  return {{winograd_cost(question, WinogradTile::four), winograd_cost(question, WinogradTile::six),
           direct_cost(question), library_cost(question)}};
}

double direct_backward_weight_cycles(const ConvQuestion& question) {
  const ConvShape& shape = question.shape;
  const std::int64_t vectors =
      shape.images * shape.out_height() * parts_of(shape.out_width(), question.lanes);
  constexpr double product = 1.15, row = 2;
  return static_cast<double>(vectors * shape.outputs) *
             (product * static_cast<double>(taps_of(shape)) + row) +
         copy_cost(shape);
}

std::string explain(const ConvCosts& costs) {
  std::string text;
  for (const ConvAlgorithm algorithm : conv_algorithms) {
    const double cycles = costs.of(algorithm);
    char line[96];
    if (std::isfinite(cycles)) {
      std::snprintf(line, sizeof line, "%-20s %14.0f cycles%s\n", name_of(algorithm), cycles,
                    algorithm == costs.best() ? "  chosen" : "");
    } else {
      std::snprintf(line, sizeof line, "%-20s %14s\n", name_of(algorithm), "no");
    }
    text += line;
  }
  return text;
}

}  // namespace backplane::cpu
#endif
