// The first stage of Winograd's convolution: tiles of src become vectors of transformed elements.
#if defined(BACKPLANE_CPU_WINOGRAD_INPUT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_WINOGRAD_INPUT_INL_H
#undef BACKPLANE_CPU_WINOGRAD_INPUT_INL_H
#else
#define BACKPLANE_CPU_WINOGRAD_INPUT_INL_H
#endif

#include "cpu/blocks-inl.h"
#include "cpu/unroll-inl.h"
#include "cpu/winograd_tiles-inl.h"
#include "cpu/winograd_transforms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Reads a channel's tiles from where it lies, if every tile lies in the image; else from strips,
// padded copies of the rows that a row of tiles needs.
template <class T>
class TileSource {
 public:
  TileSource(const ConvShape& shape, const TileGrid& grid, const float* src, float* strips)
      : shape_(shape),
        grid_(grid),
        src_(src),
        strips_(strips),
        width_(grid.tile_columns * grid.side + 2),
        row_stride_(strip_row_stride(grid)),
        in_place_(
            std::all_of(shape.padding, shape.padding + 4, [](std::int64_t p) { return p == 0; }) &&
            grid.tile_rows * grid.side + 2 <= shape.height && width_ <= shape.width) {
    if (in_place_) row_stride_ = shape.width;
  }

  // For a panel of so many vectors.
  static std::size_t strip_floats(const TileGrid& grid, int vectors) {
    const std::int64_t strips = (vectors * tile_lanes - 1) / grid.tile_columns + 2;
    return static_cast<std::size_t>(strips * T::points * strip_row_stride(grid));
  }

  template <int vectors>
  HWY_INLINE void set_panel(const TileVector (&tiles)[vectors]) {
    first_strip_ = tiles[0].strip[0];
    end_strip_ = tiles[vectors - 1].strip[tile_lanes - 1] + 1;
    for (int v = 0; v < vectors; ++v) {
      for (int lane = 0; lane < tile_lanes; ++lane) {
        offset_[v][lane] = offset(tiles[v], lane);
      }
    }
    if (!in_place_) {
      const std::int64_t rows = (end_strip_ - first_strip_) * T::points;
      std::fill_n(strips_, rows * row_stride_, 0.0f);
    }
  }

  HWY_INLINE void set_channel(std::int64_t channel) {
    channel_ = src_ + channel * shape_.height * shape_.width;
    if (in_place_) return;
    for (std::int64_t strip = first_strip_; strip < end_strip_; ++strip) fill_strip(strip);
  }

  // One vector of tiles: element (i, j) of the transform to dst[(i * points + j) * step].
  HWY_INLINE void transform(int vector, float* dst, std::int64_t step) const {
    const Floats d;
    const float* from = in_place_ ? channel_ : strips_;
    const std::int64_t* offset = offset_[vector];
    HWY_ALIGN float half[T::points][T::points][tile_lanes];
    for (int row = 0; row < T::points; ++row, from += row_stride_) {
      Vector left[4], right[4], x[T::points];
      load_columns(
          d, [&](int lane) HWY_ATTR { return from + offset[lane]; }, left);
      constexpr int right_from = T::points - 4;
      load_columns(
          d, [&](int lane) HWY_ATTR { return from + offset[lane] + right_from; }, right);
      unroll<4>([&](auto j) HWY_ATTR {
        x[right_from + j] = right[j];
        x[j] = left[j];
      });
      T::input(x);
      unroll<T::points>([&](auto j) HWY_ATTR { hn::Store(x[j], d, half[j][row]); });
    }
    for (int column = 0; column < T::points; ++column) {
      Vector x[T::points];
      unroll<T::points>([&](auto i) HWY_ATTR { x[i] = hn::Load(d, half[column][i]); });
      T::input(x);
      unroll<T::points>(
          [&](auto i) HWY_ATTR { hn::Store(x[i], d, dst + (i * T::points + column) * step); });
    }
  }

 private:
  static std::int64_t strip_row_stride(const TileGrid& grid) {
    return (grid.tile_columns * grid.side + 2 + 15) / 16 * 16;
  }

  [[nodiscard]] HWY_INLINE std::int64_t offset(const TileVector& tiles, int lane) const {
    const std::int64_t column = tiles.column[lane] * grid_.side;
    if (!in_place_) {
      return (tiles.strip[lane] - first_strip_) * T::points * row_stride_ + column;
    }
    const std::int64_t row = tiles.strip[lane] % grid_.tile_rows * grid_.side;
    return (tiles.image[lane] * shape_.channels * shape_.height + row) * shape_.width + column;
  }

  // The rows and columns of a strip that aren't padding.
  HWY_INLINE void fill_strip(std::int64_t strip) {
    const std::int64_t image = strip / grid_.tile_rows;
    const std::int64_t top = strip % grid_.tile_rows * grid_.side - shape_.padding[0];
    const std::int64_t left = shape_.padding[1];
    const std::int64_t count = std::min(shape_.width, width_ - left);
    const std::int64_t end = std::min<std::int64_t>(T::points, shape_.height - top);
    const float* from =
        channel_ + image * shape_.channels * shape_.height * shape_.width + top * shape_.width;
    float* to = strips_ + (strip - first_strip_) * T::points * row_stride_ + left;
    for (std::int64_t row = std::max<std::int64_t>(0, -top); row < end; ++row) {
      copy_row(from + row * shape_.width, count, to + row * row_stride_);
    }
  }

  static HWY_INLINE void copy_row(const float* src, std::int64_t count, float* dst) {
    const Floats d;
    const hn::CappedTag<float, 4> four;
    std::int64_t i = 0;
    for (; i + tile_lanes <= count; i += tile_lanes) hn::StoreU(hn::LoadU(d, src + i), d, dst + i);
    for (; i + 4 <= count; i += 4) hn::StoreU(hn::LoadU(four, src + i), four, dst + i);
    for (; i < count; ++i) dst[i] = src[i];
  }

  const ConvShape& shape_;
  const TileGrid& grid_;
  const float* src_;
  float* strips_;
  std::int64_t width_, row_stride_;
  bool in_place_;
  const float* channel_ = nullptr;
  std::int64_t first_strip_ = 0, end_strip_ = 0;
  std::int64_t offset_[2][tile_lanes];
};

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
