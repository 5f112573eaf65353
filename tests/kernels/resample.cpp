// resample over rows of one channel, forwards and back, against plain sums in double.
#include "cpu/resample.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "targets.hpp"

namespace backplane::cpu {
namespace {

// Windows of a pooling, without what lies in the padding; some may be left empty by it.
std::vector<Taps> windows(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                          std::int64_t padding) {
  std::vector<Taps> taps;
  for (std::int64_t o = 0; o * stride <= in + 2 * padding - kernel; ++o) {
    const std::int64_t first = o * stride - padding, begin = std::max<std::int64_t>(first, 0);
    const std::int64_t count = std::max<std::int64_t>(std::min(first + kernel, in) - begin, 0);
    const float weight = 1 / static_cast<float>(std::max<std::int64_t>(count, 1));
    taps.push_back({begin, count, weight, weight});
  }
  return taps;
}

// Two neighbours each, as a bilinear enlargement has them, and the last alone.
std::vector<Taps> neighbours(std::int64_t in, std::int64_t out) {
  std::vector<Taps> taps;
  for (std::int64_t o = 0; o < out; ++o) {
    const std::int64_t begin = o * in / out;
    taps.push_back(begin + 1 < in ? Taps{begin, 2, 0.75f, 0.25f} : Taps{begin, 1, 1, 0});
  }
  return taps;
}

std::vector<float> random_values(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = between(random);
  return values;
}

// Calls visit(output, element of src, weight).
template <class Visit>
void each_term(const std::vector<Taps>& rows, const std::vector<Taps>& columns, std::int64_t width,
               const Visit& visit) {
  for (std::size_t o = 0; o < rows.size() * columns.size(); ++o) {
    const Taps &down = rows[o / columns.size()], &along = columns[o % columns.size()];
    for (std::int64_t tap = 0; tap < down.count * along.count; ++tap) {
      const std::int64_t y = tap / along.count, x = tap % along.count;
      const double weight = static_cast<double>(y == 0 ? down.first : down.other) *
                            static_cast<double>(x == 0 ? along.first : along.other);
      visit(o, static_cast<std::size_t>((down.begin + y) * width + along.begin + x), weight);
    }
  }
}

void check_near(const std::vector<float>& computed, const std::vector<double>& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const double error = std::abs(static_cast<double>(computed[i]) - expected[i]);
    worst = std::isnan(error) ? 1 : std::max(worst, error);
  }
  CHECK(worst < 2e-6);
}

void check_both_ways(const std::vector<Taps>& rows, const std::vector<Taps>& columns,
                     std::int64_t height, std::int64_t width) {
  const std::size_t outputs = rows.size() * columns.size();
  const std::size_t elements = static_cast<std::size_t>(height * width);
  const auto from = random_values(elements), gradient = random_values(outputs);
  std::vector<double> sums(outputs), spread(elements);
  each_term(rows, columns, width, [&](std::size_t o, std::size_t at, double weight) {
    sums[o] += weight * static_cast<double>(from[at]);
    spread[at] += weight * static_cast<double>(gradient[o]);
  });
  const auto out_height = static_cast<std::int64_t>(rows.size());
  const auto out_width = static_cast<std::int64_t>(columns.size());
  const TapLine down(rows.data(), out_height), along(columns.data(), out_width);
  for_each_target([&] {
    std::vector<float> dst(outputs, NAN), diff_src(elements, NAN);
    resample(1, 0, out_height, down, along, {from.data(), height, width, width, 1},
             {dst.data(), out_height, out_width, out_width, 1});
    check_near(dst, sums);
    resample_backward(1, down, along, {gradient.data(), out_height, out_width, out_width, 1},
                      {diff_src.data(), height, width, width, 1});
    check_near(diff_src, spread);
  });
}

TEST_CASE("resample along rows: windows of every width, distance and padding") {
  for (const std::int64_t kernel : {1, 2, 3, 4, 5, 17}) {
    for (const std::int64_t stride : {1, 2, 3, 4, 7}) {
      for (const std::int64_t padding : {0, 1, 3}) {
        for (const std::int64_t width : {17, 44, 131}) {
          CAPTURE(kernel);
          CAPTURE(stride);
          CAPTURE(padding);
          CAPTURE(width);
          check_both_ways(windows(19, kernel, stride, padding),
                          windows(width, kernel, stride, padding), 19, width);
        }
      }
    }
  }
}

TEST_CASE("resample along rows: rows longer than a line, with and without gaps") {
  for (const std::int64_t stride : {1, 2, 3, 5, 1500}) {
    CAPTURE(stride);
    check_both_ways(windows(5, 3, 2, 1), windows(4099, 3, stride, 1), 5, 4099);
  }
}

TEST_CASE("resample along rows: enlargements, of which many outputs share elements") {
  for (const std::int64_t out : {1, 5, 21, 22, 50, 300}) {
    CAPTURE(out);
    check_both_ways(neighbours(9, 20), neighbours(21, out), 9, 21);
  }
}

TEST_CASE("resample along rows: a gradient of nothing is all zeros") {
  check_both_ways(windows(6, 2, 2, 0), {}, 6, 11);
  check_both_ways({}, windows(11, 2, 2, 0), 6, 11);
}

}  // namespace
}  // namespace backplane::cpu
