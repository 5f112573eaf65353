// max_pool2d: a vector holds channels of one pixel; what is left over goes one channel at a time.
#include "cpu/max_pool2d.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/max_pool2d.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/max_pool2d_windows-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// What is done to the largest before it is stored. `channel` is that of lane 0.
struct KeepAll {
  static constexpr float of_empty = -std::numeric_limits<float>::infinity();
  template <class D, class V, class VI>
  HWY_INLINE void operator()(D, std::int64_t, V&, VI&) const {}
};

// Relu and the scales; what isn't above 0 has no winner, nor has a channel whose scale is 0.
template <bool side_by_side>
struct Rectify {
  static constexpr float of_empty = 0;
  const float* scales;
  template <class D, class V, class VI>
  HWY_INLINE void operator()(D d, std::int64_t channel, V& best, VI& best_tap) const {
    const hn::RebindToSigned<D> di;
    const auto zero = hn::Zero(d);
    auto dropped = hn::Le(best, zero);
    if (scales != nullptr) {
      auto scale = hn::Set(d, scales[channel]);
      if constexpr (side_by_side) scale = hn::LoadU(d, scales + channel);
      dropped = hn::Or(dropped, hn::Eq(scale, zero));
      best = hn::Mul(best, scale);
    }
    best = hn::IfThenZeroElse(dropped, best);
    best_tap = hn::IfThenElse(hn::RebindMask(di, dropped), hn::Set(di, 255), best_tap);
  }
};

// The first of equals stays, and so does a NaN.
template <class D, class V, class VI>
HWY_INLINE void keep_larger(D, V x, std::int32_t tap, V& best, VI& best_tap) {
  const hn::RebindToSigned<D> di;
  const auto not_better = hn::Or(hn::Le(x, best), hn::IsNaN(best));
  best = hn::IfThenElse(not_better, best, x);
  best_tap = hn::IfThenElse(hn::RebindMask(di, not_better), best_tap, hn::Set(di, tap));
}

// A vector of outputs whose windows aren't empty; load(d, p) brings the lanes from p on.
template <class D, class Winner, class Load, class Finish>
HWY_INLINE void pool_vector(D d, const Window& window, const float* src, float* dst, Winner* winner,
                            const Load& load, const Finish& finish, std::int64_t channel) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<Winner, D> dw;
  auto best = load(d, src);
  auto best_tap = hn::Set(di, static_cast<std::int32_t>(window.rows.begin * window.kernel_columns +
                                                        window.columns.begin));
  window.for_each_tap([&](std::int64_t offset, std::int32_t tap)
                          HWY_ATTR { keep_larger(d, load(d, src + offset), tap, best, best_tap); });
  finish(d, channel, best, best_tap);
  hn::StoreU(best, d, dst);
  hn::StoreU(hn::DemoteTo(dw, best_tap), dw, winner);
}

// The channels of one pixel, side by side.
struct LoadChannels {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, const float* p) const {
    return hn::LoadU(d, p);
  }
};
template <class Winner, class Finish>
HWY_INLINE void pool_pixel(const Windows<const float>& windows, std::int64_t channels,
                           std::int64_t row, std::int64_t column, const Image<float>& dst,
                           const Image<Winner>& winners, const Finish& finish) {
  const Window window = windows.at(row, column);
  const float* src = windows.first_of(window);
  float* to = pixel(dst, row, column);
  Winner* winner = pixel(winners, row, column);
  if (window.empty()) {
    std::fill_n(to, channels, Finish::of_empty);
    std::fill_n(winner, channels, std::numeric_limits<Winner>::max());
    return;
  }
  cover(0, channels, [&](auto d, std::int64_t i) HWY_ATTR {
    pool_vector(d, window, src + i, to + i, winner + i, LoadChannels(), finish, i);
  });
}

// Neighbours of one channel, whose windows are `step` elements apart.
struct LoadNeighbours {
  std::int32_t step;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, const float* p) const {
    const hn::RebindToSigned<D> di;
    return hn::GatherIndex(d, p, hn::Mul(hn::Iota(di, 0), hn::Set(di, step)));
  }
};
// The same for windows of two columns that follow each other: every element is in one of them, so
// that rows are read as they lie and pulled apart.
template <class D, class Winner, class Finish>
HWY_INLINE void pool_vector_of_pairs(D d, const Window& window, const float* src, float* dst,
                                     Winner* winner, const Finish& finish) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<Winner, D> dw;
  auto tap = static_cast<std::int32_t>(window.rows.begin * 2);
  hn::Vec<D> left, right;
  hn::LoadInterleaved2(d, src, left, right);
  auto best = left;
  auto best_tap = hn::Set(di, tap);
  keep_larger(d, right, tap + 1, best, best_tap);
  for (std::int64_t row = window.rows.begin + 1; row < window.rows.end; ++row) {
    src += window.row_step;
    tap += 2;
    hn::LoadInterleaved2(d, src, left, right);
    keep_larger(d, left, tap, best, best_tap);
    keep_larger(d, right, tap + 1, best, best_tap);
  }
  finish(d, 0, best, best_tap);
  hn::StoreU(best, d, dst);
  hn::StoreU(hn::DemoteTo(dw, best_tap), dw, winner);
}
template <class Winner, class Finish>
HWY_INLINE void pool_row_of_one(const Windows<const float>& windows, std::int64_t row,
                                const Image<float>& dst, const Image<Winner>& winners,
                                const Finish& finish) {
  const std::int64_t width = dst.width;
  const std::int64_t begin = std::min(windows.columns.whole_begin, width);
  const std::int64_t end = std::max(windows.columns.whole_end, begin);
  const bool whole = begin < end && !windows.at(row, begin).empty();
  const auto step = static_cast<std::int32_t>(windows.columns.stride * windows.src.column_stride);
  for (std::int64_t i = 0; i < begin; ++i) pool_pixel(windows, 1, row, i, dst, winners, finish);
  if (whole && are_pairs(windows)) {
    cover(begin, end, [&](auto d, std::int64_t i) HWY_ATTR {
      const Window window = windows.at(row, i);
      pool_vector_of_pairs(d, window, windows.first_of(window), pixel(dst, row, i),
                           pixel(winners, row, i), finish);
    });
  } else if (whole) {
    cover(begin, end, [&](auto d, std::int64_t i) HWY_ATTR {
      const Window window = windows.at(row, i);
      pool_vector(d, window, windows.first_of(window), pixel(dst, row, i), pixel(winners, row, i),
                  LoadNeighbours{step}, finish, 0);
    });
  }
  for (std::int64_t i = whole ? end : begin; i < width; ++i) {
    pool_pixel(windows, 1, row, i, dst, winners, finish);
  }
}

template <class Winner, class Finish, class FinishRow>
HWY_INLINE void pool_rows(const PoolWindow& window, std::int64_t channels, std::int64_t begin,
                          std::int64_t end, const Image<const float>& src, const Image<float>& dst,
                          const Image<Winner>& winners, const Finish& finish,
                          const FinishRow& finish_row) {
  const Windows<const float> windows(window, src, dst.height, dst.width);
  const bool one_row = channels == 1 && dst.column_stride == 1 && winners.column_stride == 1;
  for (std::int64_t row = begin; row < end; ++row) {
    if (one_row) {
      pool_row_of_one(windows, row, dst, winners, finish_row);
      continue;
    }
    for (std::int64_t column = 0; column < dst.width; ++column) {
      pool_pixel(windows, channels, row, column, dst, winners, finish);
    }
  }
}

#define BACKPLANE_ROW(Winner, suffix)                                                           \
  void max_pool2d_##suffix(const PoolWindow& window, std::int64_t channels, std::int64_t begin, \
                           std::int64_t end, const Image<const float>& src,                     \
                           const Image<float>& dst, const Image<Winner>& winners) {             \
    pool_rows(window, channels, begin, end, src, dst, winners, KeepAll(), KeepAll());           \
  }
BACKPLANE_ROW(std::uint8_t, u8)
BACKPLANE_ROW(std::uint16_t, u16)
#undef BACKPLANE_ROW

void relu_max_pool2d_u8(const PoolWindow& window, std::int64_t channels, std::int64_t begin,
                        std::int64_t end, const float* scales, const Image<const float>& src,
                        const Image<float>& dst, const Image<std::uint8_t>& winners) {
  pool_rows(window, channels, begin, end, src, dst, winners, Rectify<true>{scales},
            Rectify<false>{scales});
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_ROW(Winner, suffix)                                                           \
  HWY_EXPORT(max_pool2d_##suffix);                                                              \
  template <>                                                                                   \
  void max_pool2d(const PoolWindow& window, std::int64_t channels, std::int64_t begin,          \
                  std::int64_t end, const Image<const float>& src, const Image<float>& dst,     \
                  const Image<Winner>& winners) {                                               \
    HWY_DYNAMIC_DISPATCH(max_pool2d_##suffix)(window, channels, begin, end, src, dst, winners); \
  }
BACKPLANE_ROW(std::uint8_t, u8)
BACKPLANE_ROW(std::uint16_t, u16)
#undef BACKPLANE_ROW

HWY_EXPORT(relu_max_pool2d_u8);
void relu_max_pool2d(const PoolWindow& window, std::int64_t channels, std::int64_t begin,
                     std::int64_t end, const float* scales, const Image<const float>& src,
                     const Image<float>& dst, const Image<std::uint8_t>& winners) {
  HWY_DYNAMIC_DISPATCH(relu_max_pool2d_u8)
  (window, channels, begin, end, scales, src, dst, winners);
}

}  // namespace backplane::cpu
#endif
