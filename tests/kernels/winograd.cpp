// Winograd's convolutions against plain loops, within the bound that winograd.h states.
#include "cpu/winograd.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plain_conv.hpp"
#include "targets.hpp"
#include "workspace.hpp"

namespace kernels_test {
namespace {

using cpu::WinogradTile;
constexpr std::array tiles{WinogradTile::four, WinogradTile::six};

struct Result {
  Floats dst;
  std::vector<std::uint8_t> winners;
};

// Runs the kernel with guards behind everything that it writes.
Result run(WinogradTile tile, const Problem& p, cpu::ConvEpilogue& epilogue,
           const cpu::WinogradWeight& weight) {
  const cpu::ConvShape& s = p.shape;
  constexpr float guard = 12345.0f;
  const auto count = static_cast<std::size_t>(
      s.images * s.outputs * (s.out_height() / epilogue.pool) * (s.out_width() / epilogue.pool));
  Result result{Floats(count + 1, guard), std::vector<std::uint8_t>(count + 1, 77)};
  Workspace packed(cpu::winograd_packed_bytes(tile, s.outputs, s.channels));
  cpu::winograd_pack(tile, weight, 0, s.outputs / 2, static_cast<float*>(packed.data()));
  cpu::winograd_pack(tile, weight, s.outputs / 2, s.outputs, static_cast<float*>(packed.data()));
  Workspace workspace(cpu::winograd_workspace_bytes(tile, s));
  epilogue.bias = p.bias.empty() ? nullptr : p.bias.data();
  epilogue.mask = p.mask.empty() ? nullptr : p.mask.data();
  epilogue.winners = epilogue.pool == 1 ? nullptr : result.winners.data();
  cpu::winograd(tile, s, p.src.data(), static_cast<const float*>(packed.data()), epilogue,
                result.dst.data(), workspace.data());
  CHECK(packed.whole());
  CHECK(workspace.whole());
  CHECK(result.dst.back() == guard);
  CHECK(result.winners.back() == 77);
  result.dst.pop_back();
  return result;
}

Result run(WinogradTile tile, const Problem& p, cpu::ConvEpilogue& epilogue) {
  return run(tile, p, epilogue,
             cpu::winograd_weight(p.weight.data(), p.shape.outputs, p.shape.channels));
}

// winograd.h's, for each sum.
Doubles winograd_bound(WinogradTile tile, const Problem& p) {
  Doubles bound = tile_magnitudes(p, static_cast<int>(tile));
  const double units = cpu::winograd_error_units(tile);
  for (double& value : bound) value *= units * 0x1p-24;
  return bound;
}

constexpr std::array shapes{
    cpu::ConvShape{.images = 1, .channels = 1, .height = 3, .width = 3, .outputs = 1},
    cpu::ConvShape{.images = 3, .channels = 5, .height = 8, .width = 8, .outputs = 7},
    cpu::ConvShape{.images = 1, .channels = 2, .height = 26, .width = 26, .outputs = 13},
    cpu::ConvShape{
        .images = 5, .channels = 3, .height = 4, .width = 4, .outputs = 9, .padding = {1, 1, 1, 1}},
    cpu::ConvShape{.images = 1,
                   .channels = 40,
                   .height = 9,
                   .width = 14,
                   .outputs = 21,
                   .padding = {2, 2, 2, 2}},
    cpu::ConvShape{.images = 2,
                   .channels = 4,
                   .height = 3,
                   .width = 31,
                   .outputs = 3,
                   .padding = {0, 2, 1, 0}},
    cpu::ConvShape{.images = 17,
                   .channels = 3,
                   .height = 2,
                   .width = 1,
                   .outputs = 11,
                   .padding = {1, 1, 1, 2}},
};

}  // namespace

TEST_CASE("winograd: every epilogue of every shape stays within the bound") {
  for (const cpu::ConvShape& shape : shapes) {
    REQUIRE(cpu::winograd_computes(shape));
    for (const Values kind : {Values::random, Values::mostly_zero}) {
      for (const bool masked : {false, true}) {
        const Problem p = make_problem(shape, kind, masked, 7);
        const Sums sums = convolve(p);
        for (const WinogradTile tile : tiles) {
          const Doubles bound = winograd_bound(tile, p);
          cpu::for_each_target([&] {
            for (const std::int64_t pool : {1, 2, 3}) {
              if (!cpu::winograd_pools(tile, pool)) continue;
              for (const bool relu : {false, true}) {
                if (pool > 1 && !relu) continue;
                cpu::ConvEpilogue epilogue{.relu = relu, .pool = pool};
                const Result result = run(tile, p, epilogue);
                CHECK(fault(p, epilogue, sums.value, bound, result.dst) == "");
              }
            }
          });
        }
      }
    }
  }
}

TEST_CASE("winograd: the gradient of the input is a convolution of the exchanged weight") {
  // dx[n,c,y,x] = sum of dy[n,o,y+p-i,x+p-j] * weight[o,c,i,j].
  Problem forward = make_problem(
      {.images = 2, .channels = 5, .height = 11, .width = 7, .outputs = 6, .padding = {1, 0, 2, 1}},
      Values::random, false, 3);
  const cpu::ConvShape& f = forward.shape;
  Problem p = make_problem({.images = 2,
                            .channels = f.outputs,
                            .height = f.out_height(),
                            .width = f.out_width(),
                            .outputs = f.channels,
                            .padding = {1, 2, 0, 1}},
                           Values::random, false, 4);
  REQUIRE(p.shape.out_height() == f.height);
  REQUIRE(p.shape.out_width() == f.width);
  p.bias.clear();
  for (std::int64_t o = 0; o < f.outputs; ++o) {
    for (std::int64_t c = 0; c < f.channels; ++c) {
      for (std::int64_t tap = 0; tap < 9; ++tap) {
        p.weight[static_cast<std::size_t>((c * f.outputs + o) * 9 + 8 - tap)] =
            forward.weight[static_cast<std::size_t>((o * f.channels + c) * 9 + tap)];
      }
    }
  }
  const Doubles sums = convolve(p).value;
  for (const WinogradTile tile : tiles) {
    cpu::for_each_target([&] {
      cpu::ConvEpilogue epilogue;
      const Result result =
          run(tile, p, epilogue,
              cpu::winograd_weight_of_backward_data(forward.weight.data(), f.outputs, f.channels));
      CHECK(fault(p, epilogue, sums, winograd_bound(tile, p), result.dst) == "");
    });
  }
}

TEST_CASE("winograd: equals, nothing and NaN in a window") {
  Problem p = make_problem({.images = 2, .channels = 3, .height = 14, .width = 14, .outputs = 4},
                           Values::random, false, 5);
  std::ranges::fill(p.src, 0.0f);  // every output is the bias, to the bit
  p.bias = {1, -1, 0, std::numeric_limits<float>::quiet_NaN()};
  cpu::for_each_target([&] {
    for (const WinogradTile tile : tiles) {
      cpu::ConvEpilogue epilogue{.relu = true, .pool = 2};
      const Result result = run(tile, p, epilogue);
      for (std::size_t i = 0; i < result.dst.size(); ++i) {
        const std::size_t output = i / 36 % 4;
        const float expected = output == 3 ? NAN : output == 0 ? 1.0f : 0.0f;
        CHECK((result.dst[i] == expected || (output == 3 && std::isnan(result.dst[i]))));
        CHECK_FALSE(std::signbit(output == 3 ? 0.0f : result.dst[i]));
        const int winner = output == 1 || output == 2 ? 255 : 0;
        CHECK(result.winners[i] == winner);
      }
    }
  });
}

TEST_CASE("winograd: what isn't finite stays in its tile and never vanishes") {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Problem p = make_problem({.images = 2, .channels = 2, .height = 26, .width = 26, .outputs = 3},
                             Values::random, false, 6);
    const Doubles without = convolve(p).value, bound = winograd_bound(WinogradTile::six, p);
    p.src[26 * 26 + 9 * 26 + 9] = value;  // image 0, in the middle of tile (1, 1) of six
    const Doubles sums = convolve(p).value;
    cpu::for_each_target([&] {
      for (const std::int64_t pool : {1, 2}) {
        cpu::ConvEpilogue epilogue{.relu = pool > 1, .pool = pool};
        const Result result = run(WinogradTile::six, p, epilogue);
        const Finished expected = finish(p, epilogue, sums, bound);
        const Finished clean = finish(p, epilogue, without, bound);
        const std::int64_t side = 24 / pool, tile = 6 / pool;
        for (std::int64_t i = 0; i < std::ssize(result.dst); ++i) {
          const std::int64_t row = i / side % side, column = i % side;
          const bool touched = i < 3 * side * side && row / tile == 1 && column / tile == 1;
          if (!std::isfinite(expected.value[i])) CHECK_FALSE(std::isfinite(result.dst[i]));
          if (!touched) CHECK(std::abs(result.dst[i] - clean.value[i]) <= clean.bound[i]);
        }
      }
    });
  }
}

TEST_CASE("winograd: a dropped plane doesn't see what it would have been") {
  Problem p = make_problem({.images = 3, .channels = 2, .height = 6, .width = 6, .outputs = 5},
                           Values::random, true, 8);
  std::ranges::fill(p.src, std::numeric_limits<float>::quiet_NaN());
  cpu::for_each_target([&] {
    for (const std::int64_t pool : {1, 2}) {
      cpu::ConvEpilogue epilogue{.relu = true, .pool = pool};
      const Result result = run(WinogradTile::four, p, epilogue);
      const std::size_t plane = 16 / static_cast<std::size_t>(pool * pool);
      for (std::size_t i = 0; i < result.dst.size(); ++i) {
        const bool dropped = p.mask[i / plane] == 0;
        CHECK(std::isnan(result.dst[i]) != dropped);
        CHECK((result.dst[i] == 0) == dropped);
      }
    }
  });
}

}  // namespace kernels_test
