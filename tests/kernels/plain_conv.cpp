// Convolutions and their epilogues as plain loops in double.
#include "plain_conv.hpp"

#include <algorithm>
#include <cmath>

namespace kernels_test {

std::string Problem::text() const {
  std::string result;
  const auto add = [&](const char* name, auto... sizes) {
    result += name;
    ((result += " " + std::to_string(sizes)), ...);
  };
  add("src", shape.images, shape.channels, shape.height, shape.width);
  add(", outputs", shape.outputs);
  add(", kernel", shape.kernel[0], shape.kernel[1]);
  add(", stride", shape.stride[0], shape.stride[1]);
  add(", padding", shape.padding[0], shape.padding[1], shape.padding[2], shape.padding[3]);
  add(", dilation", shape.dilation[0], shape.dilation[1]);
  add(", groups", shape.groups);
  return result;
}

Floats values(std::int64_t count, Values kind, std::mt19937& random) {
  std::normal_distribution<float> normal;
  Floats result(static_cast<std::size_t>(count));
  for (float& value : result) {
    value = normal(random);
    if (kind == Values::random) continue;
    const auto draw = random() % 64;
    if (draw >= 4) value = 0;
    if (draw == 0) value *= 1000;
  }
  return result;
}

Problem make_problem(const cpu::ConvShape& shape, Values kind, bool with_mask, unsigned seed) {
  std::mt19937 random(seed);
  Problem problem{shape, {}, {}, {}, {}};
  problem.src = values(shape.images * shape.channels * shape.height * shape.width, kind, random);
  problem.weight = values(shape.outputs * taps_of(shape), Values::random, random);
  problem.bias = values(shape.outputs, Values::random, random);
  if (with_mask) {
    problem.mask = Floats(static_cast<std::size_t>(shape.images * shape.outputs), 1.25f);
    for (float& factor : problem.mask) factor = random() % 4 == 0 ? 0.0f : factor;
  }
  return problem;
}

std::int64_t taps_of(const cpu::ConvShape& shape) {
  return shape.channels / shape.groups * shape.kernel[0] * shape.kernel[1];
}

namespace {

// Calls body(index in dst, in src, in weight) for every product that isn't of padding.
template <class Body>
void each_product(const cpu::ConvShape& s, const Body& body) {
  const std::int64_t rows = s.out_height(), columns = s.out_width(), taps = taps_of(s);
  const std::int64_t channels = s.channels / s.groups;
  for (std::int64_t at = 0; at < s.images * s.outputs * rows * columns; ++at) {
    const std::int64_t n = at / (s.outputs * rows * columns);
    const std::int64_t o = at / (rows * columns) % s.outputs;
    const std::int64_t top = at / columns % rows * s.stride[0] - s.padding[0];
    const std::int64_t left = at % columns * s.stride[1] - s.padding[1];
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t c =
          tap / (s.kernel[0] * s.kernel[1]) + o / (s.outputs / s.groups) * channels;
      const std::int64_t y = top + tap / s.kernel[1] % s.kernel[0] * s.dilation[0];
      const std::int64_t x = left + tap % s.kernel[1] * s.dilation[1];
      if (y < 0 || x < 0 || y >= s.height || x >= s.width) continue;
      body(at, ((n * s.channels + c) * s.height + y) * s.width + x, o * taps + tap);
    }
  }
}

void add(Sums& sums, std::int64_t at, double term) {
  sums.value[static_cast<std::size_t>(at)] += term;
  sums.magnitude[static_cast<std::size_t>(at)] += std::abs(term);
}

Sums zeros(std::int64_t count) {
  return {Doubles(static_cast<std::size_t>(count)), Doubles(static_cast<std::size_t>(count))};
}

}  // namespace

Sums convolve(const Problem& p) {
  const std::int64_t plane = p.shape.out_height() * p.shape.out_width();
  const std::int64_t count = p.shape.images * p.shape.outputs * plane;
  Sums sums = zeros(count);
  for (std::int64_t at = 0; at < count && !p.bias.empty(); ++at) {
    add(sums, at, p.bias[static_cast<std::size_t>(at / plane % p.shape.outputs)]);
  }
  each_product(p.shape, [&](std::int64_t at, std::int64_t src, std::int64_t weight) {
    add(sums, at, static_cast<double>(p.src[src]) * p.weight[weight]);
  });
  return sums;
}

Sums weight_gradient(const Problem& p, const Floats& diff_dst) {
  const std::int64_t plane = p.shape.out_height() * p.shape.out_width();
  const std::int64_t weights = std::ssize(p.weight);
  Sums sums = zeros(weights + p.shape.outputs);
  each_product(p.shape, [&](std::int64_t at, std::int64_t src, std::int64_t weight) {
    add(sums, weight, static_cast<double>(p.src[src]) * diff_dst[at]);
  });
  for (std::int64_t at = 0; at < std::ssize(diff_dst); ++at) {
    add(sums, weights + at / plane % p.shape.outputs, diff_dst[at]);
  }
  return sums;
}

Doubles tile_magnitudes(const Problem& p, std::int64_t side) {
  const cpu::ConvShape& s = p.shape;
  const std::int64_t rows = s.out_height(), columns = s.out_width(), taps = 9;
  Doubles result(static_cast<std::size_t>(s.images * s.outputs * rows * columns));
  const auto largest = [&](std::int64_t plane, std::int64_t top, std::int64_t left) {
    double value = 0;
    for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min(top + side + 2, s.height);
         ++y) {
      for (std::int64_t x = std::max<std::int64_t>(left, 0); x < std::min(left + side + 2, s.width);
           ++x) {
        value = std::max(
            value, std::abs(static_cast<double>(p.src[(plane * s.height + y) * s.width + x])));
      }
    }
    return value;
  };
  for (std::int64_t n = 0; n < s.images; ++n) {
    for (std::int64_t at = 0; at < rows * columns; ++at) {
      const std::int64_t top = at / columns / side * side - s.padding[0];
      const std::int64_t left = at % columns / side * side - s.padding[1];
      for (std::int64_t c = 0; c < s.channels; ++c) {
        const double src = largest(n * s.channels + c, top, left);
        for (std::int64_t o = 0; o < s.outputs; ++o) {
          double sum = 0;
          for (std::int64_t tap = 0; tap < taps; ++tap)
            sum += std::abs(p.weight[(o * s.channels + c) * taps + tap]);
          result[(n * s.outputs + o) * rows * columns + at] += sum * src;
        }
      }
      for (std::int64_t o = 0; o < s.outputs && !p.bias.empty(); ++o) {
        result[(n * s.outputs + o) * rows * columns + at] += std::abs(p.bias[o]);
      }
    }
  }
  return result;
}

namespace {

// Positions in sums of the windows of dst.
struct Windows {
  Windows(const cpu::ConvShape& shape, const cpu::ConvEpilogue& epilogue)
      : size(epilogue.pool),
        in_rows(shape.out_height()),
        in_columns(shape.out_width()),
        rows(in_rows / size),
        columns(in_columns / size),
        planes(shape.images * shape.outputs) {}
  [[nodiscard]] std::int64_t count() const { return planes * rows * columns; }
  [[nodiscard]] std::int64_t plane_of(std::int64_t at) const { return at / (rows * columns); }
  [[nodiscard]] std::size_t in(std::int64_t at, std::int64_t tap) const {
    const std::int64_t row = at / columns % rows * size + tap / size;
    const std::int64_t column = at % columns * size + tap % size;
    return static_cast<std::size_t>((plane_of(at) * in_rows + row) * in_columns + column);
  }
  std::int64_t size, in_rows, in_columns, rows, columns, planes;
};

double factor_of(const Problem& problem, std::int64_t plane) {
  return problem.mask.empty() ? 1 : problem.mask[static_cast<std::size_t>(plane)];
}

}  // namespace

Finished finish(const Problem& problem, const cpu::ConvEpilogue& epilogue, const Doubles& sums,
                const Doubles& bound) {
  const Windows windows(problem.shape, epilogue);
  Finished result;
  for (std::int64_t at = 0; at < windows.count(); ++at) {
    double value = sums[windows.in(at, 0)], error = bound[windows.in(at, 0)];
    for (std::int64_t tap = 1; tap < windows.size * windows.size; ++tap) {
      const double x = sums[windows.in(at, tap)];
      if (!(x <= value) && !std::isnan(value)) value = x;
      error = std::max(error, bound[windows.in(at, tap)]);
    }
    const double factor = factor_of(problem, windows.plane_of(at));
    if (epilogue.relu && value <= 0) value = 0;
    result.value.push_back(factor == 0 ? 0 : value * factor);
    result.bound.push_back(factor == 0 ? 0 : error * std::abs(factor));
  }
  return result;
}

std::string fault(const Problem& problem, const cpu::ConvEpilogue& epilogue, const Doubles& sums,
                  const Doubles& bound, const Floats& dst, double* worst) {
  const Windows windows(problem.shape, epilogue);
  const Finished expected = finish(problem, epilogue, sums, bound);
  const auto complain = [&](std::int64_t at, const std::string& what) {
    return problem.text() + ", pool " + std::to_string(epilogue.pool) + ": element " +
           std::to_string(at) + " is " + std::to_string(dst[at]) + ", not " +
           std::to_string(expected.value[at]) + ": " + what;
  };
  for (std::int64_t at = 0; at < windows.count(); ++at) {
    const double value = expected.value[at], error = std::abs(dst[at] - value);
    const bool both_nan = std::isnan(value) && std::isnan(dst[at]);
    if (!both_nan && !(error <= expected.bound[at])) return complain(at, "beyond its bound");
    if ((epilogue.relu || value == 0) && dst[at] == 0 && std::signbit(dst[at])) {
      return complain(at, "zero has a sign");
    }
    if (worst != nullptr && error > 0) *worst = std::max(*worst, error / expected.bound[at]);
    if (epilogue.pool == 1) continue;
    const std::uint8_t winner = epilogue.winners[at];
    if ((winner == cpu::ConvEpilogue::no_winner) != (dst[at] == 0)) {
      return complain(at, "a winner with +0, or none without");
    }
    if (winner == cpu::ConvEpilogue::no_winner) continue;
    if (winner >= windows.size * windows.size) return complain(at, "the winner lies outside");
    const double factor = factor_of(problem, windows.plane_of(at));
    const double won = sums[windows.in(at, winner)] * factor;
    if (!both_nan && !(std::abs(won - value) <= 2 * expected.bound[at])) {
      return complain(at, "another wins than tap " + std::to_string(winner));
    }
  }
  return {};
}

}  // namespace kernels_test
