// sparse_conv against plain loops in double, on integers, where every order of a sum gives the same
// bits, and on real numbers.
#include "cpu/sparse_conv.h"
#include "cpu/conv_cost.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cpu/conv_cost.h"
#include "plain_conv.hpp"
#include "targets.hpp"
#include "workspace.hpp"

namespace kernels_test {
namespace {

struct Shape {
  std::int64_t images, channels, filters, height, width;
  std::int64_t kernel[2], stride[2], padding[2], dilation[2];
  std::int64_t pool[2], pool_stride[2], pool_padding[2];
  bool ceil_mode;
  double density;
};

std::int64_t windows_of(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                        bool ceil_mode) {
  return (size - kernel + (ceil_mode ? stride - 1 : 0)) / stride + 1;
}

cpu::SparseConv conv_of(const Shape& s) {
  cpu::SparseConv conv{};
  conv.channels = s.channels, conv.height = s.height, conv.width = s.width;
  conv.filters = s.filters;
  std::int64_t results[2], pooled[2];
  for (int axis = 0; axis < 2; ++axis) {
    conv.kernel[axis] = s.kernel[axis], conv.stride[axis] = s.stride[axis];
    conv.padding[axis] = s.padding[axis], conv.dilation[axis] = s.dilation[axis];
    conv.pool.kernel[axis] = s.pool[axis], conv.pool.stride[axis] = s.pool_stride[axis];
    conv.pool.padding[axis] = s.pool_padding[axis], conv.pool.dilation[axis] = 1;
    const std::int64_t size = axis == 0 ? s.height : s.width;
    results[axis] = windows_of(size + 2 * s.padding[axis],
                               s.dilation[axis] * (s.kernel[axis] - 1) + 1, s.stride[axis], false);
    pooled[axis] = windows_of(results[axis] + 2 * s.pool_padding[axis], s.pool[axis],
                              s.pool_stride[axis], s.ceil_mode);
  }
  conv.result_height = results[0], conv.result_width = results[1];
  conv.pooled_height = pooled[0], conv.pooled_width = pooled[1];
  conv.input_stride = s.channels * s.height * s.width;
  conv.pooled_stride = s.filters * pooled[0] * pooled[1];
  return conv;
}

// Data, and the outcome of loops that say what it should be. `magnitude` sums absolute values.
struct Pooled {
  Pooled(const Shape& shape, bool integers)
      : conv(conv_of(shape)),
        images(shape.images),
        input(static_cast<std::size_t>(images * conv.input_stride)),
        dy(static_cast<std::size_t>(images * conv.pooled_stride)),
        winners(dy.size()),
        weight(static_cast<std::size_t>(conv.filters * conv.channels * conv.kernel[0] *
                                        conv.kernel[1])),
        dweight(weight.size()),
        dweight_magnitude(weight.size()),
        dbias(static_cast<std::size_t>(conv.filters)),
        dx(input.size()),
        dx_magnitude(input.size()) {
    std::uniform_int_distribution<int> integer(-3, 3);
    std::normal_distribution<float> real;
    const auto number = [&] {
      return integers ? static_cast<float>(integer(random)) : real(random);
    };
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = number();
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = number();
    std::bernoulli_distribution alive(shape.density);
    for (std::size_t i = 0; i < dy.size(); ++i) {
      // What isn't read must not matter.
      dy[i] = std::numeric_limits<float>::quiet_NaN();
      winners[i] = alive(random) ? random_winner(static_cast<std::int64_t>(i)) : std::uint8_t{255};
      if (winners[i] != 255) dy[i] = number();
    }
    solve();
  }

  // A tap that lies in the convolution's result, if there is one.
  std::uint8_t random_winner(std::int64_t index) {
    std::vector<std::uint8_t> taps;
    for (std::int64_t tap = 0; tap < conv.pool.kernel[0] * conv.pool.kernel[1]; ++tap) {
      const auto [row, column] = place(index, tap);
      if (row >= 0 && row < conv.result_height && column >= 0 && column < conv.result_width) {
        taps.push_back(static_cast<std::uint8_t>(tap));
      }
    }
    return taps.empty() ? std::uint8_t{255} : taps[random() % taps.size()];
  }

  struct Place {
    std::int64_t row, column;
  };
  Place place(std::int64_t index, std::int64_t tap) const {
    const std::int64_t window = index % (conv.pooled_height * conv.pooled_width);
    return {window / conv.pooled_width * conv.pool.stride[0] - conv.pool.padding[0] +
                tap / conv.pool.kernel[1],
            window % conv.pooled_width * conv.pool.stride[1] - conv.pool.padding[1] +
                tap % conv.pool.kernel[1]};
  }

  void solve() {
    const std::int64_t windows = conv.pooled_height * conv.pooled_width;
    for (std::size_t i = 0; i < dy.size(); ++i) {
      if (winners[i] == 255) continue;
      const auto index = static_cast<std::int64_t>(i);
      const std::int64_t image = index / conv.pooled_stride,
                         filter = index / windows % conv.filters;
      const Place at = place(index, winners[i]);
      dbias[static_cast<std::size_t>(filter)] += dy[i];
      for (std::int64_t tap = 0; tap < conv.kernel[0] * conv.kernel[1]; ++tap) {
        const std::int64_t row =
            at.row * conv.stride[0] - conv.padding[0] + tap / conv.kernel[1] * conv.dilation[0];
        const std::int64_t column =
            at.column * conv.stride[1] - conv.padding[1] + tap % conv.kernel[1] * conv.dilation[1];
        if (row < 0 || row >= conv.height || column < 0 || column >= conv.width) continue;
        for (std::int64_t channel = 0; channel < conv.channels; ++channel) {
          const auto x = static_cast<std::size_t>(
              image * conv.input_stride + (channel * conv.height + row) * conv.width + column);
          const auto w = static_cast<std::size_t>(
              (filter * conv.channels + channel) * conv.kernel[0] * conv.kernel[1] + tap);
          const double to_weight = double{dy[i]} * input[x], to_input = double{dy[i]} * weight[w];
          dweight[w] += to_weight, dweight_magnitude[w] += std::abs(to_weight);
          dx[x] += to_input, dx_magnitude[x] += std::abs(to_input);
        }
      }
    }
  }

  std::mt19937 random{20240511};
  cpu::SparseConv conv;
  std::int64_t images;
  Floats input, dy;
  std::vector<std::uint8_t> winners;
  Floats weight;
  Doubles dweight, dweight_magnitude, dbias, dx, dx_magnitude;
};

// The worst |actual - expected| over what rounding allows, the length of a sum being unknown.
double worst_error(const float* actual, const Doubles& expected, const Doubles& magnitude,
                   double factor) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(actual[i] - factor * expected[i]);
    const double allowed = 64 * std::ldexp(1.0, -24) * factor * magnitude[i];
    if (!(error <= allowed)) worst = std::max(worst, allowed > 0 ? error / allowed : 1e9);
  }
  return worst;
}

template <class Expected>
std::size_t differences(const float* actual, std::size_t count, const Expected& expected) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += actual[i] == expected(i) ? 0 : 1;
  return wrong;
}

// What a workspace held before must not matter.
Workspace scratch(std::int64_t bytes) {
  Workspace workspace(static_cast<std::size_t>(bytes));
  std::memset(workspace.data(), 0x7F, static_cast<std::size_t>(bytes));
  return workspace;
}
Workspace zeros(std::int64_t floats) {
  return Workspace(static_cast<std::size_t>(floats) * sizeof(float));
}

// Twice over all images, so everything is counted twice, on top of a 1 in the unpacked result.
struct WeightGradient {
  explicit WeightGradient(const Pooled& p)
      : dweight(p.dweight.size(), 1.0f), dbias(p.dbias.size(), 1.0f) {
    Workspace packed = zeros(cpu::sparse_conv_gradient_size(p.conv));
    Workspace workspace = scratch(cpu::sparse_conv_backward_weight_workspace(p.conv));
    auto* gradient = static_cast<float*>(packed.data());
    for (int repeat = 0; repeat < 2; ++repeat) {
      cpu::sparse_conv_backward_weight(p.conv, p.images, p.input.data(), p.dy.data(),
                                       p.winners.data(), workspace.data(), gradient);
    }
    cpu::sparse_conv_unpack_gradient(p.conv, gradient, dweight.data(), dbias.data());
    whole = packed.whole() && workspace.whole();
  }
  Floats dweight, dbias;
  bool whole;
};

struct DataGradient {
  DataGradient(const Pooled& p, const float* relu_output) : dx(p.dx.size()) {
    Workspace memory = zeros(cpu::sparse_conv_weight_size(p.conv));
    Workspace workspace = scratch(cpu::sparse_conv_backward_data_workspace(p.conv));
    auto* packed = static_cast<float*>(memory.data());
    cpu::sparse_conv_pack_weight(p.conv, p.weight.data(), packed);
    cpu::sparse_conv_backward_data(p.conv, p.images, p.dy.data(), p.winners.data(), packed,
                                   relu_output, workspace.data(), dx.data());
    whole = memory.whole() && workspace.whole();
  }
  Floats dx;
  bool whole;
};

std::string name_of(const Shape& s) {
  std::string name;
  for (const std::int64_t number :
       {s.images, s.channels, s.height, s.width, s.filters, s.kernel[0], s.kernel[1], s.stride[0],
        s.padding[0], s.dilation[0], s.pool[0], s.pool_stride[0]}) {
    name += std::to_string(number) + " ";
  }
  return name + std::to_string(s.density);
}

void check_exact(const Shape& shape) {
  Pooled p(shape, true);
  CAPTURE(name_of(shape));
  cpu::for_each_target([&] {
    WeightGradient weight(p);
    CHECK(weight.whole);
    CHECK(differences(weight.dweight.data(), p.dweight.size(),
                      [&](std::size_t i) { return 1 + 2 * p.dweight[i]; }) == 0);
    CHECK(differences(weight.dbias.data(), p.dbias.size(),
                      [&](std::size_t i) { return 1 + 2 * p.dbias[i]; }) == 0);
    DataGradient data(p, nullptr), through_relu(p, p.input.data());
    CHECK((data.whole && through_relu.whole));
    CHECK(differences(data.dx.data(), p.dx.size(), [&](std::size_t i) { return p.dx[i]; }) == 0);
    CHECK(differences(through_relu.dx.data(), p.dx.size(),
                      [&](std::size_t i) { return p.input[i] <= 0 ? 0 : p.dx[i]; }) == 0);
  });
}

TEST_CASE("sparse_conv: integers are exact in every shape") {
  const std::int64_t kernels[]{3, 1, 5, 3, 7, 2, 4};
  const std::int64_t channels[]{32, 3, 16, 17, 1, 48, 60, 64, 65, 8, 33};
  const std::int64_t filters[]{1, 64, 5, 70, 16, 33};
  const std::int64_t pools[][2]{{2, 2}, {3, 2}, {3, 3}, {2, 1}};
  const double densities[]{0.5, 0.1, 1, 0};
  for (int i = 0; i < 77; ++i) {
    const std::int64_t kernel = kernels[i % 7], stride = i % 3 == 2 ? 2 : 1;
    const std::int64_t padding = std::min<std::int64_t>(i % 4, kernel - 1),
                       dilation = i % 11 == 5 ? 2 : 1;
    const std::int64_t pool = pools[i / 2 % 4][0], pool_stride = pools[i / 2 % 4][1];
    const std::int64_t least = (pool + 1) * stride + (kernel - 1) * dilation;
    check_exact({.images = 1 + i % 3 * 2,
                 .channels = channels[i % 11],
                 .filters = filters[i % 6],
                 .height = least + i % 5,
                 .width = least + 3 + i % 6,
                 .kernel = {kernel, kernel},
                 .stride = {stride, stride},
                 .padding = {padding, padding},
                 .dilation = {dilation, dilation},
                 .pool = {pool, pool},
                 .pool_stride = {pool_stride, pool_stride},
                 .pool_padding = {0, 0},
                 .ceil_mode = i % 8 == 3,
                 .density = densities[i / 3 % 4]});
  }
}

TEST_CASE("sparse_conv: axes that differ, pools with padding, windows that stick out") {
  Shape shape{.images = 2,
              .channels = 20,
              .filters = 66,
              .height = 11,
              .width = 17,
              .kernel = {3, 5},
              .stride = {1, 2},
              .padding = {2, 1},
              .dilation = {2, 1},
              .pool = {3, 2},
              .pool_stride = {2, 1},
              .pool_padding = {1, 1},
              .ceil_mode = true,
              .density = 0.7};
  check_exact(shape);
  shape.kernel[0] = 1, shape.kernel[1] = 9, shape.dilation[1] = 1, shape.padding[1] = 8;
  check_exact(shape);
  for (const std::int64_t pool : {2, 3}) {
    for (int axis = 0; axis < 2; ++axis) {
      shape.kernel[axis] = 3, shape.stride[axis] = shape.dilation[axis] = 1;
      shape.padding[axis] = 0, shape.pool[axis] = pool, shape.pool_stride[axis] = 2;
    }
    check_exact(shape);
  }
}

TEST_CASE("sparse_conv: long rows and many channels are cut into strips and blocks") {
  check_exact({.images = 1,
               .channels = 130,
               .filters = 3,
               .height = 30,
               .width = 40,
               .kernel = {3, 3},
               .stride = {1, 1},
               .padding = {1, 1},
               .dilation = {1, 1},
               .pool = {3, 3},
               .pool_stride = {2, 2},
               .pool_padding = {1, 1},
               .ceil_mode = false,
               .density = 0.3});
}

// The usual network's: 3x3, without padding, pairs of rows and columns pooled.
struct Size {
  std::int64_t images, channels, filters, height, width;
  double density;
};
Shape of_pairs(const Size& size) {
  return {.images = size.images,
          .channels = size.channels,
          .filters = size.filters,
          .height = size.height,
          .width = size.width,
          .kernel = {3, 3},
          .stride = {1, 1},
          .padding = {0, 0},
          .dilation = {1, 1},
          .pool = {2, 2},
          .pool_stride = {2, 2},
          .pool_padding = {0, 0},
          .ceil_mode = false,
          .density = size.density};
}

TEST_CASE("sparse_conv: real numbers are as close as sums in float") {
  Pooled p(
      of_pairs(
          {.images = 3, .channels = 32, .filters = 64, .height = 12, .width = 14, .density = 0.5}),
      false);
  cpu::for_each_target([&] {
    WeightGradient weight(p);
    for (std::size_t i = 0; i < p.dweight.size(); ++i) weight.dweight[i] -= 1;
    CHECK(worst_error(weight.dweight.data(), p.dweight, p.dweight_magnitude, 2) == 0);
    DataGradient data(p, nullptr);
    CHECK(worst_error(data.dx.data(), p.dx, p.dx_magnitude, 1) == 0);
  });
}

// One window's dy isn't finite; planes of more and of fewer windows than a vector has lanes.
void check_reach(std::int64_t channels, std::int64_t side, float value) {
  Pooled p(of_pairs({.images = 1,
                     .channels = channels,
                     .filters = 2,
                     .height = side,
                     .width = side,
                     .density = 0}),
           true);
  for (std::size_t i = 0; i < p.weight.size(); ++i) p.weight[i] = 1;
  const auto window = static_cast<std::size_t>((side - 2) / 2 + 1);  // the second of its row
  p.winners[window] = 3, p.dy[window] = value;                       // stood in row 3, column 3
  const auto is_value = [&](float x) { return std::isnan(value) ? std::isnan(x) : x == value; };
  cpu::for_each_target([&] {
    DataGradient data(p, nullptr);
    for (std::int64_t i = 0; i < channels * side * side; ++i) {
      const std::int64_t row = i / side % side, column = i % side;
      const bool hit = row >= 3 && row < 6 && column >= 3 && column < 6;
      const float dx = data.dx[static_cast<std::size_t>(i)];
      CHECK((hit ? is_value(dx) : dx == 0));
    }
    WeightGradient weight(p);
    CHECK(is_value(weight.dbias[0]));
    CHECK(weight.dbias[1] == 1);
    CHECK_FALSE(std::isfinite(weight.dweight[0]));
    CHECK(weight.dweight[p.weight.size() - 1] == 1);
  });
}

TEST_CASE("sparse_conv: what isn't finite reaches its patch, and nothing else") {
  for (const std::int64_t channels : {3, 16, 20}) {
    for (const std::int64_t side : {9, 14}) {
      CAPTURE(channels);
      CAPTURE(side);
      check_reach(channels, side, std::numeric_limits<float>::infinity());
      check_reach(channels, side, std::numeric_limits<float>::quiet_NaN());
    }
  }
}

TEST_CASE("sparse_conv: terms are winners whose dy isn't 0") {
  Floats dy(37, 1.0f);
  std::vector<std::uint8_t> winners(37, 0);
  dy[0] = 0, dy[1] = -0.0f, dy[36] = 0;
  dy[2] = std::numeric_limits<float>::quiet_NaN();
  winners[1] = winners[20] = winners[35] = 255;
  cpu::for_each_target(
      [&] { CHECK(cpu::sparse_conv_count_terms(37, dy.data(), winners.data()) == 37 - 5); });
}

// Windows that don't overlap leave a quarter of the products; those that overlap at every step,
// all.
TEST_CASE("sparse_conv: costs tell where a dense gradient is cheaper") {
  Shape shape = of_pairs(
      {.images = 1, .channels = 32, .filters = 64, .height = 26, .width = 26, .density = 0});
  cpu::for_each_target([&] {
    for (const std::int64_t stride : {2, 1}) {
      shape.pool_stride[0] = shape.pool_stride[1] = stride;
      const cpu::SparseConv conv = conv_of(shape);
      const auto windows = static_cast<double>(conv.pooled_stride);
      const double dense =
          cpu::sparse_conv_expansion_cycles(conv) +
          cpu::conv_costs({.shape = {.channels = 32, .height = 26, .width = 26, .outputs = 64},
                           .lanes = cpu::vector_lanes()})
              .of(cpu::ConvAlgorithm::library);
      for (const cpu::SparseConvCost& cost : {cpu::sparse_conv_backward_weight_cost(conv),
                                              cpu::sparse_conv_backward_data_cost(conv)}) {
        CHECK((cost.fixed > 0 && cost.per_term > 0));
        CHECK((cost.fixed + cost.per_term * windows < dense / 2) == (stride == 2));
      }
    }
  });
}

}  // namespace
}  // namespace kernels_test
