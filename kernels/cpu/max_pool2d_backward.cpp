// The gradient of max_pool2d: windows that fill the image write all of it, others add to zeros.
#include <algorithm>
#include <cstdint>

#include "cpu/max_pool2d.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/max_pool2d_backward.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/max_pool2d_windows-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Windows that don't overlap: each writes all of its taps, once; `streams` around the caches.
template <class Winner>
HWY_INLINE void spread_pixel(const Window& window, std::int64_t channels, bool streams,
                             const float* diff_dst, const Winner* winner, float* diff_src) {
  cover(0, channels, [&](auto d, std::int64_t i) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<Winner, decltype(d)> dw;
    const auto diff = hn::LoadU(d, diff_dst + i);
    const auto won = hn::PromoteTo(di, hn::LoadU(dw, winner + i));
    window.for_each_tap([&](std::int64_t offset, std::int32_t tap) HWY_ATTR {
      const auto here = hn::RebindMask(d, hn::Eq(won, hn::Set(di, tap)));
      const auto part = hn::IfThenElseZero(here, diff);
      if (streams) {
        hn::Stream(part, d, diff_src + offset + i);
      } else {
        hn::StoreU(part, d, diff_src + offset + i);
      }
    });
  });
}

// The same for a row of windows of two columns, of one channel. Returns how many are whole; a last
// one that sticks out is left.
template <class Winner>
HWY_INLINE std::int64_t spread_row_of_pairs(const Windows<float>& windows, std::int64_t row,
                                            const Image<const float>& diff_dst,
                                            const Image<const Winner>& winners) {
  const float* diff = pixel(diff_dst, row, 0);
  const Winner* winner = pixel(winners, row, 0);
  float* to = pixel(windows.src, row * windows.rows.kernel, 0);
  const std::int64_t whole = std::min(diff_dst.width, windows.columns.whole_end);
  cover(0, whole, [&](auto d, std::int64_t i) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<Winner, decltype(d)> dw;
    const auto dy = hn::LoadU(d, diff + i);
    const auto won = hn::PromoteTo(di, hn::LoadU(dw, winner + i));
    const auto part = [&](std::int64_t tap) HWY_ATTR {
      const auto here = hn::Eq(won, hn::Set(di, static_cast<std::int32_t>(tap)));
      return hn::IfThenElseZero(hn::RebindMask(d, here), dy);
    };
    for (std::int64_t r = 0; r < windows.rows.kernel; ++r) {
      hn::StoreInterleaved2(part(2 * r), part(2 * r + 1), d,
                            to + r * windows.src.row_stride + 2 * i);
    }
  });
  return whole;
}

// From a window's first tap, which may lie in the padding, to each of its taps: looked up, but for
// windows that are too large for a table.
template <class Winner>
class TapOffsets {
 public:
  explicit TapOffsets(const Windows<float>& windows)
      : columns_(static_cast<std::uint32_t>(windows.columns.kernel)),
        taps_(static_cast<std::uint32_t>(windows.rows.kernel) * columns_),
        row_step_(windows.rows.dilation * windows.src.row_stride),
        column_step_(windows.columns.dilation * windows.src.column_stride) {
    for (std::uint32_t tap = 0; tap < std::min(taps_, in_table); ++tap) table_[tap] = compute(tap);
  }
  [[nodiscard]] HWY_INLINE bool has(std::uint32_t tap) const { return tap < taps_; }
  [[nodiscard]] HWY_INLINE std::int64_t operator[](std::uint32_t tap) const {
    return sizeof(Winner) == 1 || tap < in_table ? table_[tap] : compute(tap);
  }

 private:
  static constexpr std::uint32_t in_table = 256;

  [[nodiscard]] HWY_INLINE std::int64_t compute(std::uint32_t tap) const {
    return tap / columns_ * row_step_ + tap % columns_ * column_step_;
  }

  std::uint32_t columns_, taps_;
  std::int64_t row_step_, column_step_;
  std::int64_t table_[in_table];
};

// Windows that may overlap: each adds to the element that won, if there is one. Nobody foresees
// which have one, so that those without add to an element aside.
template <class Winner>
HWY_INLINE void add_row(const Windows<float>& windows, std::int64_t row, std::int64_t channels,
                        const TapOffsets<Winner>& offsets, const Image<const float>& diff_dst,
                        const Image<const Winner>& winners) {
  const Axis &rows = windows.rows, &columns = windows.columns;
  float aside = 0;
  for (std::int64_t column = 0; column < diff_dst.width; ++column) {
    const float* diff = pixel(diff_dst, row, column);
    const Winner* winner = pixel(winners, row, column);
    const std::int64_t first =
        (row * rows.stride - rows.padding) * windows.src.row_stride +
        (column * columns.stride - columns.padding) * windows.src.column_stride;
    for (std::int64_t i = 0; i < channels; ++i) {
      const std::uint32_t tap = winner[i];
      // A mask, since compilers make a branch of `?:`.
      const std::uintptr_t won = 0 - static_cast<std::uintptr_t>(offsets.has(tap));
      const float* there = windows.src.data + first + i + offsets[tap & won];
      auto* to = reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(there) & won) |
                                          (reinterpret_cast<std::uintptr_t>(&aside) & ~won));
      *to += diff[i];
    }
  }
}

// Whether each pixel is a number of whole vectors, aligned as streaming stores must be.
HWY_INLINE bool can_stream(const Image<float>& image, std::int64_t channels) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  const auto address = reinterpret_cast<std::uintptr_t>(image.data);
  return address % (static_cast<std::uintptr_t>(lanes) * sizeof(float)) == 0 &&
         image.row_stride % lanes == 0 && image.column_stride % lanes == 0 && channels % lanes == 0;
}

template <class Winner>
HWY_INLINE void pool_backward(const PoolWindow& window, std::int64_t channels, bool bypasses_cache,
                              const Image<const float>& diff_dst,
                              const Image<const Winner>& winners, const Image<float>& diff_src) {
  const Windows<float> windows(window, diff_src, diff_dst.height, diff_dst.width);
  const bool streams = bypasses_cache && can_stream(diff_src, channels);
  bool tiles = true;
  for (const Axis* axis : {&windows.rows, &windows.columns}) {
    tiles = tiles && axis->stride == axis->kernel && axis->dilation == 1 && axis->padding == 0;
  }
  // What no tile covers, at the bottom and on the right.
  const std::int64_t first_row = tiles ? diff_dst.height * windows.rows.kernel : 0;
  const std::int64_t first_column = tiles ? diff_dst.width * windows.columns.kernel : 0;
  fill_zeros(diff_src, channels, first_row, first_column);
  const bool pairs = tiles && channels == 1 && are_pairs(windows) && diff_dst.column_stride == 1 &&
                     winners.column_stride == 1;
  if (!tiles) {
    const TapOffsets<Winner> offsets(windows);
    for (std::int64_t row = 0; row < diff_dst.height; ++row) {
      add_row(windows, row, channels, offsets, diff_dst, winners);
    }
    return;
  }
  for (std::int64_t row = 0; row < diff_dst.height; ++row) {
    std::int64_t column = 0;
    if (pairs && row < windows.rows.whole_end) {
      column = spread_row_of_pairs(windows, row, diff_dst, winners);
    }
    for (; column < diff_dst.width; ++column) {
      const Window at = windows.at(row, column);
      spread_pixel(at, channels, streams, pixel(diff_dst, row, column), pixel(winners, row, column),
                   windows.first_of(at));
    }
  }
  if (streams) hwy::FlushStream();
}

#define BACKPLANE_ROW(Winner, suffix)                                                        \
  void max_pool2d_backward_##suffix(const PoolWindow& window, std::int64_t channels,         \
                                    bool bypasses_cache, const Image<const float>& diff_dst, \
                                    const Image<const Winner>& winners,                      \
                                    const Image<float>& diff_src) {                          \
    pool_backward(window, channels, bypasses_cache, diff_dst, winners, diff_src);            \
  }
BACKPLANE_ROW(std::uint8_t, u8)
BACKPLANE_ROW(std::uint16_t, u16)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

#define BACKPLANE_ROW(Winner, suffix)                                                              \
  HWY_EXPORT(max_pool2d_backward_##suffix);                                                        \
  template <>                                                                                      \
  void max_pool2d_backward(const PoolWindow& window, std::int64_t channels, bool bypasses_cache,   \
                           const Image<const float>& diff_dst, const Image<const Winner>& winners, \
                           const Image<float>& diff_src) {                                         \
    HWY_DYNAMIC_DISPATCH(max_pool2d_backward_##suffix)                                             \
    (window, channels, bypasses_cache, diff_dst, winners, diff_src);                               \
  }
BACKPLANE_ROW(std::uint8_t, u8)
BACKPLANE_ROW(std::uint16_t, u16)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu
#endif
