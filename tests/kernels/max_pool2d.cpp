// max_pool2d over rows of one channel, whose vectors are made of neighbours, against plain loops.
#include "cpu/max_pool2d.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "targets.hpp"

namespace backplane::cpu {
namespace {

struct Pooled {
  std::vector<float> dst;
  std::vector<std::uint8_t> winners;
};

constexpr std::int64_t src_height = 7;

// Few values, so that windows have equals, and now and then a NaN.
std::vector<float> source(std::int64_t width) {
  std::mt19937 random(static_cast<unsigned>(width));
  std::vector<float> src(static_cast<std::size_t>(src_height * width));
  for (float& value : src) value = static_cast<float>(random() % 5);
  for (std::size_t i = 0; i < src.size(); i += 11) src[i] = NAN;
  return src;
}

// Calls visit(tap, index in the source) for what isn't padding.
template <class Visit>
void each_tap(const PoolWindow& window, std::int64_t width, std::int64_t row, std::int64_t column,
              const Visit& visit) {
  for (std::int64_t tap = 0; tap < window.kernel[0] * window.kernel[1]; ++tap) {
    const std::int64_t y =
        row * window.stride[0] - window.padding[0] + tap / window.kernel[1] * window.dilation[0];
    const std::int64_t x =
        column * window.stride[1] - window.padding[1] + tap % window.kernel[1] * window.dilation[1];
    if (y >= 0 && x >= 0 && y < src_height && x < width) visit(tap, y * width + x);
  }
}

Pooled plain(const PoolWindow& window, const std::vector<float>& src, std::int64_t width,
             std::int64_t rows, std::int64_t columns) {
  Pooled pooled;
  for (std::int64_t at = 0; at < rows * columns; ++at) {
    float best = -std::numeric_limits<float>::infinity();
    std::uint8_t winner = 255;
    each_tap(window, width, at / columns, at % columns, [&](std::int64_t tap, std::int64_t i) {
      const float x = src[static_cast<std::size_t>(i)];
      if (winner != 255 && (x <= best || std::isnan(best))) return;
      best = x;
      winner = static_cast<std::uint8_t>(tap);
    });
    pooled.dst.push_back(best);
    pooled.winners.push_back(winner);
  }
  return pooled;
}

void check_pool(const PoolWindow& window, std::int64_t width, bool sticks_out) {
  const auto places = [&](int axis, std::int64_t size) {
    const std::int64_t room = size + 2 * window.padding[axis] - window.kernel[axis];
    return room < 0 ? std::int64_t{0} : room / window.stride[axis] + 1 + (sticks_out ? 1 : 0);
  };
  const std::int64_t rows = places(0, src_height), columns = places(1, width);
  if (columns == 0) return;
  const std::vector<float> src = source(width);
  const Pooled expected = plain(window, src, width, rows, columns);
  const auto count = static_cast<std::size_t>(rows * columns);
  Pooled pooled{std::vector<float>(count + 1, 7), std::vector<std::uint8_t>(count + 1, 7)};
  const Image<float> dst{pooled.dst.data(), rows, columns, columns, 1};
  max_pool2d<std::uint8_t>(window, 1, 0, rows, {src.data(), src_height, width, width, 1}, dst,
                           {pooled.winners.data(), rows, columns, columns, 1});
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(pooled.winners[i] == expected.winners[i]);
    CHECK((pooled.dst[i] == expected.dst[i] || std::isnan(expected.dst[i])));
    CHECK(std::isnan(pooled.dst[i]) == std::isnan(expected.dst[i]));
  }
  CHECK(pooled.dst[count] == 7);
  CHECK(pooled.winners[count] == 7);

  std::vector<float> diff_dst(count), spread(src.size());
  for (std::size_t i = 0; i < count; ++i) {
    diff_dst[i] = static_cast<float>(i + 1);
    each_tap(window, width, static_cast<std::int64_t>(i) / columns,
             static_cast<std::int64_t>(i) % columns, [&](std::int64_t tap, std::int64_t at) {
               if (tap == expected.winners[i]) spread[static_cast<std::size_t>(at)] += diff_dst[i];
             });
  }
  std::vector<float> diff_src(src.size() + 1, 7);
  max_pool2d_backward<std::uint8_t>(window, 1, false, {diff_dst.data(), rows, columns, columns, 1},
                                    {expected.winners.data(), rows, columns, columns, 1},
                                    {diff_src.data(), src_height, width, width, 1});
  CHECK(diff_src.back() == 7);
  diff_src.pop_back();
  CHECK(diff_src == spread);
}

}  // namespace

TEST_CASE("max_pool2d: rows of one channel") {
  for_each_target([&] {
    for (const std::int64_t width : {2, 5, 16, 33, 70}) {
      CAPTURE(width);
      check_pool({{2, 2}, {2, 2}, {0, 0}, {1, 1}}, width, false);
      check_pool({{2, 2}, {2, 2}, {0, 0}, {1, 1}}, width, true);
      check_pool({{3, 2}, {3, 2}, {0, 0}, {1, 1}}, width, false);
      check_pool({{2, 2}, {2, 2}, {1, 1}, {1, 1}}, width, false);
      check_pool({{3, 2}, {1, 2}, {1, 0}, {1, 1}}, width, false);
      check_pool({{3, 3}, {2, 1}, {1, 1}, {1, 1}}, width, false);
    }
  });
}

}  // namespace backplane::cpu
