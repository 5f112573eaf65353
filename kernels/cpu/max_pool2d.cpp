// max_pool2d: a vector holds channels of one pixel; what is left over goes one channel at a time.
#include "cpu/max_pool2d.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/max_pool2d.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The part of a window along one axis that isn't padding: taps [begin, end), the first of which
// lies at `origin`.
struct Taps {
  std::int64_t begin, end, origin;
};

// The windows along one axis. Those in [whole_begin, whole_end) have all of their taps, which saves
// them the divisions that the edges need.
struct Axis {
  Axis(const PoolWindow& window, int axis, std::int64_t src_size, std::int64_t dst_size)
      : kernel(window.kernel[axis]),
        stride(window.stride[axis]),
        padding(window.padding[axis]),
        dilation(window.dilation[axis]),
        size(src_size) {
    const std::int64_t room = size + padding - dilation * (kernel - 1) - 1;
    whole_begin = (padding + stride - 1) / stride;
    whole_end = room < 0 ? 0 : std::min(dst_size, room / stride + 1);
  }

  [[nodiscard]] HWY_INLINE Taps taps_at(std::int64_t position) const {
    const std::int64_t first = position * stride - padding;
    if (whole_begin <= position && position < whole_end) return {0, kernel, first};
    const std::int64_t begin = first < 0 ? (-first + dilation - 1) / dilation : 0;
    const std::int64_t room = size - first;
    const std::int64_t end = room <= 0 ? 0 : std::min(kernel, (room + dilation - 1) / dilation);
    return {begin, std::max(begin, end), first + begin * dilation};
  }

  std::int64_t kernel, stride, padding, dilation, size;
  std::int64_t whole_begin, whole_end;
};

// Calls visit(offset of a tap from the first one, its number in the window).
struct Window {
  template <class Visit>
  HWY_INLINE void for_each_tap(const Visit& visit) const {
    // The usual window, without loops: 15 % of the time of a pixel.
    if (rows.end - rows.begin == 2 && columns.end - columns.begin == 2) {
      const auto first = static_cast<std::int32_t>(rows.begin * kernel_columns + columns.begin);
      const auto below = first + static_cast<std::int32_t>(kernel_columns);
      visit(std::int64_t{0}, first);
      visit(column_step, first + 1);
      visit(row_step, below);
      visit(row_step + column_step, below + 1);
      return;
    }
    std::int64_t row_offset = 0;
    for (std::int64_t row = rows.begin; row < rows.end; ++row, row_offset += row_step) {
      std::int64_t offset = row_offset;
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        visit(offset, static_cast<std::int32_t>(row * kernel_columns + column));
        offset += column_step;
      }
    }
  }
  [[nodiscard]] HWY_INLINE bool empty() const {
    return rows.begin == rows.end || columns.begin == columns.end;
  }

  Taps rows, columns;
  std::int64_t row_step, column_step, kernel_columns;
};

// Where the windows of one image lie in the source.
template <class T>
struct Windows {
  Windows(const PoolWindow& window, const Image<T>& source, std::int64_t height, std::int64_t width)
      : src(source), rows(window, 0, src.height, height), columns(window, 1, src.width, width) {}

  [[nodiscard]] HWY_INLINE Window at(std::int64_t row, std::int64_t column) const {
    return {rows.taps_at(row), columns.taps_at(column), rows.dilation * src.row_stride,
            columns.dilation * src.column_stride, columns.kernel};
  }
  // The first element that isn't padding.
  [[nodiscard]] HWY_INLINE T* first_of(const Window& window) const {
    return src.data + window.rows.origin * src.row_stride +
           window.columns.origin * src.column_stride;
  }

  Image<T> src;
  Axis rows, columns;
};

template <class T>
HWY_INLINE T* pixel(const Image<T>& image, std::int64_t row, std::int64_t column) {
  return image.data + row * image.row_stride + column * image.column_stride;
}

// Calls body(tag, position) so that vectors cover [begin, end): as wide as the machine's while they
// fit, then narrow ones.
template <class D, class Body>
HWY_INLINE std::int64_t cover(D d, std::int64_t begin, std::int64_t end, const Body& body) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; begin + lanes <= end; begin += lanes) body(d, begin);
  return begin;
}
template <class Body>
HWY_INLINE void cover(std::int64_t begin, std::int64_t end, const Body& body) {
  begin = cover(hn::ScalableTag<float>(), begin, end, body);
  begin = cover(hn::CappedTag<float, 4>(), begin, end, body);
  cover(hn::CappedTag<float, 1>(), begin, end, body);
}

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

// A vector of outputs whose windows aren't empty; load(d, p) brings the lanes from p on.
template <class D, class Winner, class Load, class Finish>
HWY_INLINE void pool_vector(D d, const Window& window, const float* src, float* dst, Winner* winner,
                            const Load& load, const Finish& finish, std::int64_t channel) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<Winner, D> dw;
  auto best = load(d, src);
  auto best_tap = hn::Set(di, static_cast<std::int32_t>(window.rows.begin * window.kernel_columns +
                                                        window.columns.begin));
  window.for_each_tap([&](std::int64_t offset, std::int32_t tap) HWY_ATTR {
    const auto x = load(d, src + offset);
    const auto not_better = hn::Or(hn::Le(x, best), hn::IsNaN(best));
    best = hn::IfThenElse(not_better, best, x);
    best_tap = hn::IfThenElse(hn::RebindMask(di, not_better), best_tap, hn::Set(di, tap));
  });
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
  if (whole) {
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

// Windows that may overlap: each adds to the element that won, if there is one.
template <class Winner>
HWY_INLINE void add_pixel(const Window& window, std::int64_t channels, const float* diff_dst,
                          const Winner* winner, float* diff_src) {
  const auto columns = static_cast<std::uint32_t>(window.kernel_columns);
  for (std::int64_t i = 0; i < channels; ++i) {
    const std::uint32_t tap = winner[i], row = tap / columns, column = tap % columns;
    if (tap == std::numeric_limits<Winner>::max() || window.empty()) continue;
    diff_src[i + (row - window.rows.begin) * window.row_step +
             (column - window.columns.begin) * window.column_step] += diff_dst[i];
  }
}

HWY_INLINE void fill_zeros(const Image<float>& image, std::int64_t channels, std::int64_t first_row,
                           std::int64_t first_column) {
  for (std::int64_t row = 0; row < image.height; ++row) {
    const std::int64_t from = row < first_row ? first_column : 0;
    for (std::int64_t column = from; column < image.width; ++column) {
      std::fill_n(image.data + row * image.row_stride + column * image.column_stride, channels,
                  0.0f);
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
  for (std::int64_t row = 0; row < diff_dst.height; ++row) {
    for (std::int64_t column = 0; column < diff_dst.width; ++column) {
      const Window at = windows.at(row, column);
      const float* diff = pixel(diff_dst, row, column);
      const Winner* winner = pixel(winners, row, column);
      if (tiles) {
        spread_pixel(at, channels, streams, diff, winner, windows.first_of(at));
      } else {
        add_pixel(at, channels, diff, winner, windows.first_of(at));
      }
    }
  }
  if (streams) hwy::FlushStream();
}

#define BACKPLANE_ROW(Winner, suffix)                                                           \
  void max_pool2d_##suffix(const PoolWindow& window, std::int64_t channels, std::int64_t begin, \
                           std::int64_t end, const Image<const float>& src,                     \
                           const Image<float>& dst, const Image<Winner>& winners) {             \
    pool_rows(window, channels, begin, end, src, dst, winners, KeepAll(), KeepAll());           \
  }                                                                                             \
  void max_pool2d_backward_##suffix(const PoolWindow& window, std::int64_t channels,            \
                                    bool bypasses_cache, const Image<const float>& diff_dst,    \
                                    const Image<const Winner>& winners,                         \
                                    const Image<float>& diff_src) {                             \
    pool_backward(window, channels, bypasses_cache, diff_dst, winners, diff_src);               \
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

#define BACKPLANE_ROW(Winner, suffix)                                                              \
  HWY_EXPORT(max_pool2d_##suffix);                                                                 \
  HWY_EXPORT(max_pool2d_backward_##suffix);                                                        \
  template <>                                                                                      \
  void max_pool2d(const PoolWindow& window, std::int64_t channels, std::int64_t begin,             \
                  std::int64_t end, const Image<const float>& src, const Image<float>& dst,        \
                  const Image<Winner>& winners) {                                                  \
    HWY_DYNAMIC_DISPATCH(max_pool2d_##suffix)(window, channels, begin, end, src, dst, winners);    \
  }                                                                                                \
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

HWY_EXPORT(relu_max_pool2d_u8);
void relu_max_pool2d(const PoolWindow& window, std::int64_t channels, std::int64_t begin,
                     std::int64_t end, const float* scales, const Image<const float>& src,
                     const Image<float>& dst, const Image<std::uint8_t>& winners) {
  HWY_DYNAMIC_DISPATCH(relu_max_pool2d_u8)
  (window, channels, begin, end, scales, src, dst, winners);
}

}  // namespace backplane::cpu
#endif
