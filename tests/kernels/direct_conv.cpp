// Direct convolutions and gradients of weights against plain loops.
#include "cpu/direct_conv.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "plain_conv.hpp"
#include "targets.hpp"
#include "workspace.hpp"

namespace kernels_test {
namespace {

constexpr std::array shapes{
    cpu::ConvShape{
        .images = 1, .channels = 1, .height = 1, .width = 1, .outputs = 1, .kernel = {1, 1}},
    cpu::ConvShape{.images = 3, .channels = 1, .height = 9, .width = 28, .outputs = 13},
    cpu::ConvShape{.images = 2,
                   .channels = 3,
                   .height = 7,
                   .width = 33,
                   .outputs = 8,
                   .kernel = {7, 7},
                   .stride = {2, 2},
                   .padding = {3, 3, 3, 3}},
    cpu::ConvShape{.images = 1,
                   .channels = 2,
                   .height = 12,
                   .width = 17,
                   .outputs = 5,
                   .kernel = {2, 5},
                   .stride = {1, 3},
                   .padding = {0, 2, 1, 0},
                   .dilation = {3, 2}},
    cpu::ConvShape{.images = 2,
                   .channels = 4,
                   .height = 5,
                   .width = 16,
                   .outputs = 3,
                   .kernel = {5, 5},
                   .padding = {2, 2, 2, 2}},
    cpu::ConvShape{.images = 2,
                   .channels = 6,
                   .height = 6,
                   .width = 20,
                   .outputs = 4,
                   .kernel = {3, 3},
                   .padding = {1, 1, 1, 1},
                   .groups = 2},
};

// A sum of n products in any order errs by less than n roundings of its magnitudes.
Doubles rounded(Doubles magnitudes, std::int64_t terms) {
  for (double& value : magnitudes) value *= static_cast<double>(terms) * 0x1p-24;
  return magnitudes;
}

Floats run(const Problem& p, const cpu::ConvEpilogue& epilogue, std::size_t count) {
  Workspace workspace(cpu::direct_conv_workspace_bytes(p.shape));
  Floats dst(count + 1, 12345.0f);
  cpu::direct_conv(p.shape, p.src.data(), p.weight.data(), epilogue, dst.data(), workspace.data());
  CHECK(workspace.whole());
  CHECK(dst.back() == 12345.0f);
  dst.pop_back();
  return dst;
}

// dweight and, behind it, dbias.
Floats run_backward(const cpu::ConvShape& shape, const Floats& src, const Floats& diff_dst,
                    std::size_t weights, bool adds, float before) {
  const auto outputs = static_cast<std::size_t>(shape.outputs);
  Workspace workspace(cpu::direct_conv_backward_weight_workspace_bytes(shape));
  Floats dst(weights + outputs + 1, before);
  cpu::direct_conv_backward_weight(shape, src.data(), diff_dst.data(), adds, dst.data(),
                                   dst.data() + weights, workspace.data());
  CHECK(workspace.whole());
  CHECK(dst.back() == before);
  dst.pop_back();
  return dst;
}

}  // namespace

TEST_CASE("direct_conv: bias and relu, within the error of a sum") {
  for (const cpu::ConvShape& shape : shapes) {
    const Problem p = make_problem(shape, Values::random, false, 11);
    const Sums sums = convolve(p);
    const Doubles bound = rounded(sums.magnitude, taps_of(shape) + 1);
    cpu::for_each_target([&] {
      for (const bool relu : {false, true}) {
        const cpu::ConvEpilogue epilogue{.bias = p.bias.data(), .relu = relu};
        CHECK(fault(p, epilogue, sums.value, bound, run(p, epilogue, bound.size())) == "");
      }
    });
  }
}

TEST_CASE("direct_conv: only sums that hold what isn't finite aren't finite") {
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    Problem p = make_problem(shapes[1], Values::random, false, 12);
    p.src[40] = value;
    const Sums sums = convolve(p);
    cpu::for_each_target([&] {
      const Floats dst = run(p, {.relu = std::isnan(value)}, sums.value.size());
      for (std::size_t i = 0; i < dst.size(); ++i) {
        const double sum = sums.value[i] - p.bias[i / (7 * 26) % 13];
        CHECK(std::isnan(dst[i]) == std::isnan(sum));
        CHECK(std::isinf(dst[i]) == std::isinf(sum));
      }
    });
  }
}

TEST_CASE("direct_conv_backward_weight: writes and adds") {
  for (const cpu::ConvShape& shape : shapes) {
    const Problem p = make_problem(shape, Values::random, false, 13);
    std::mt19937 random(14);
    const auto places = shape.out_height() * shape.out_width();
    const Floats diff_dst = values(shape.images * shape.outputs * places, Values::random, random);
    const Sums expected = weight_gradient(p, diff_dst);
    cpu::for_each_target([&] {
      CAPTURE(p.text());
      for (const bool adds : {false, true}) {
        const Floats dst = run_backward(shape, p.src, diff_dst, p.weight.size(), adds, 0.5f);
        REQUIRE(dst.size() == expected.value.size());
        for (std::size_t i = 0; i < dst.size(); ++i) {
          const double sum = expected.value[i] + (adds ? 0.5 : 0);
          const double magnitude = expected.magnitude[i] + 0.5;
          const auto terms = static_cast<double>(shape.images * places + 1);
          CHECK(std::abs(dst[i] - sum) <= terms * 0x1p-24 * magnitude);
        }
      }
    });
  }
}

TEST_CASE("direct_conv_backward_weight: an infinity stays in the sums that it is a term of") {
  const cpu::ConvShape& shape = shapes[1];  // 26 columns: the last vector overlaps
  Problem p = make_problem(shape, Values::random, false, 15);
  std::mt19937 random(16);
  const Floats diff_dst = values(shape.images * shape.outputs * 7 * 26, Values::random, random);
  p.src[3 * 28] = std::numeric_limits<float>::infinity();  // column 0: under taps of column 0 alone
  cpu::for_each_target([&] {
    const Floats dst = run_backward(shape, p.src, diff_dst, p.weight.size(), false, 0);
    for (std::size_t i = 0; i < p.weight.size(); ++i) {
      CHECK(std::isinf(dst[i]) == (i % 3 == 0));
      CHECK_FALSE(std::isnan(dst[i]));
    }
  });
}

}  // namespace kernels_test
