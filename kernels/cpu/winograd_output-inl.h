// The last stage of Winograd's convolution: sums become outputs, go through the epilogue and into
// the rows of dst.
#if defined(BACKPLANE_CPU_WINOGRAD_OUTPUT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_WINOGRAD_OUTPUT_INL_H
#undef BACKPLANE_CPU_WINOGRAD_OUTPUT_INL_H
#else
#define BACKPLANE_CPU_WINOGRAD_OUTPUT_INL_H
#endif

#include "cpu/blocks-inl.h"
#include "cpu/conv_epilogue.h"
#include "cpu/unroll-inl.h"
#include "cpu/winograd_tiles-inl.h"
#include "cpu/winograd_transforms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

template <class T>
class TileSink {
 public:
  TileSink(const TileGrid& grid, std::int64_t outputs, const ConvEpilogue& epilogue, float* dst)
      : grid_(grid), outputs_(outputs), epilogue_(epilogue), dst_(dst) {}

  // One vector of tiles of one output, whose sums lie `step` apart.
  HWY_INLINE void finish(const TileVector& tiles, std::int64_t output, const float* sums,
                         std::int64_t step) const {
    HWY_ALIGN Tile tile;
    inverse(sums, step, epilogue_.bias == nullptr ? 0.0f : epilogue_.bias[output], tile);
    const Vector scale = scale_of(tiles, output);
    if constexpr (side % 2 == 0) {
      if (epilogue_.pool == 2) return pool<2>(tiles, output, tile, scale);
    }
    if constexpr (side % 3 == 0) {
      if (epilogue_.pool == 3) return pool<3>(tiles, output, tile, scale);
    }
    if (epilogue_.relu || epilogue_.mask != nullptr) activate(tile, scale);
    store(tiles, output, tile);
  }

  // The same where every tile's image drops the output.
  HWY_INLINE void drop(const TileVector& tiles, std::int64_t output) const {
    const std::int64_t plane = output * grid_.out_height * grid_.out_width;
    HWY_ALIGN Tile tile = {};
    if (epilogue_.pool == 1) return store(tiles, output, tile);
    fill(tiles, dst_ + plane, 0.0f);
    fill(tiles, epilogue_.winners + plane, ConvEpilogue::no_winner);
  }

 private:
  static constexpr int side = T::outputs;
  using Tile = float[side][side][tile_lanes];

  // The bias is added to the element of point 1, which counts once in every output.
  static HWY_INLINE void inverse(const float* sums, std::int64_t step, float bias, Tile& tile) {
    const Floats d;
    HWY_ALIGN float half[side][T::points][tile_lanes];
    for (int row = 0; row < T::points; ++row) {
      Vector m[T::points], y[side];
      unroll<T::points>([&](auto j)
                            HWY_ATTR { m[j] = hn::Load(d, sums + (row * T::points + j) * step); });
      if (row == 1) m[1] = hn::Add(m[1], set(bias));
      T::output(m, y);
      unroll<side>([&](auto j) HWY_ATTR { hn::Store(y[j], d, half[j][row]); });
    }
    for (int column = 0; column < side; ++column) {
      Vector m[T::points], y[side];
      unroll<T::points>([&](auto i) HWY_ATTR { m[i] = hn::Load(d, half[column][i]); });
      T::output(m, y);
      unroll<side>([&](auto i) HWY_ATTR { hn::Store(y[i], d, tile[i][column]); });
    }
  }

  [[nodiscard]] HWY_INLINE std::int64_t offset(const TileVector& tiles, std::int64_t output,
                                               int lane) const {
    return tiles.dst_offset[lane] + output * grid_.out_height * grid_.out_width;
  }

  // What the mask multiplies each tile by.
  [[nodiscard]] HWY_INLINE Vector scale_of(const TileVector& tiles, std::int64_t output) const {
    if (epilogue_.mask == nullptr) return set(1);
    const float* mask = epilogue_.mask + output;
    if (tiles.one_image()) return set(mask[tiles.image[0] * outputs_]);
    HWY_ALIGN float scale[tile_lanes];
    for (int lane = 0; lane < tile_lanes; ++lane) scale[lane] = mask[tiles.image[lane] * outputs_];
    return hn::Load(Floats(), scale);
  }

  HWY_INLINE void activate(Tile& tile, Vector scale) const {
    const Floats d;
    const Vector zero = hn::Zero(d);
    const auto dropped = hn::Eq(scale, zero);
    for (auto& row : tile) {
      for (float* element : row) {
        Vector y = hn::Load(d, element);
        if (epilogue_.relu) y = hn::IfThenZeroElse(hn::Le(y, zero), y);
        if (epilogue_.mask != nullptr) y = hn::IfThenZeroElse(dropped, hn::Mul(y, scale));
        hn::Store(y, d, element);
      }
    }
  }

  // Tiles go straight to dst, or through a buffer if some of them stick out of it.
  HWY_INLINE void store(const TileVector& tiles, std::int64_t output, const Tile& tile) const {
    float* plane = dst_ + output * grid_.out_height * grid_.out_width;
    const std::int64_t width = grid_.out_width;
    if (tiles.partial_count == 0) {
      return store_rows(tile, width,
                        [&](int lane) HWY_ATTR { return plane + tiles.dst_offset[lane]; });
    }
    constexpr std::int64_t buffer_width = 8;
    float buffer[tile_lanes][side * buffer_width];
    store_rows(tile, buffer_width, [&](int lane) HWY_ATTR { return buffer[lane]; });
    for (int lane = 0; lane < tile_lanes; ++lane) {
      float* to = plane + tiles.dst_offset[lane];
      const float* from = buffer[lane];
      if (tiles.whole(grid_, lane)) {
        for (int row = 0; row < side; ++row)
          std::copy_n(from + row * buffer_width, side, to + row * width);
        continue;
      }
      for (std::int64_t row = 0; row < tiles.rows[lane]; ++row) {
        std::copy_n(from + row * buffer_width, tiles.columns[lane], to + row * width);
      }
    }
  }

  // The rows of each tile, `width` apart, from first(lane) on.
  template <class First>
  static HWY_INLINE void store_rows(const Tile& tile, std::int64_t width, const First& first) {
    const Floats d;
    for (int row = 0; row < side; ++row) {
      for (int column = 0;; column = side - 4) {  // the second four overlap the first
        const std::int64_t at = row * width + column;
        store_columns(d, hn::Load(d, tile[row][column]), hn::Load(d, tile[row][column + 1]),
                      hn::Load(d, tile[row][column + 2]), hn::Load(d, tile[row][column + 3]),
                      [&](int lane) HWY_ATTR { return first(lane) + at; });
        if (column == side - 4) break;
      }
    }
  }

  // The maximum of each window, then relu and mask.
  template <int window>
  HWY_INLINE void pool(const TileVector& tiles, std::int64_t output, const Tile& tile,
                       Vector scale) const {
    constexpr int pooled_side = side / window;
    const Floats d;
    const hn::RebindToSigned<Floats> di;
    const hn::Rebind<std::uint8_t, Floats> bytes;
    HWY_ALIGN float pooled[pooled_side * pooled_side][tile_lanes];
    HWY_ALIGN std::uint8_t winners[pooled_side * pooled_side][tile_lanes];
    const Vector zero = hn::Zero(d);
    const auto dropped = hn::Eq(scale, zero);
    for (int i = 0; i < pooled_side * pooled_side; ++i) {
      const auto& first = tile[i / pooled_side * window];
      const int column = i % pooled_side * window;
      Vector best = hn::Load(d, first[column]);
      auto winner = hn::Zero(di);
      unroll<window * window - 1>([&](auto k) HWY_ATTR {
        constexpr int tap = k + 1;
        const Vector x = hn::Load(d, (&first)[tap / window][column + tap % window]);
        const auto not_better = hn::Or(hn::Le(x, best), hn::IsNaN(best));
        best = hn::IfThenElse(not_better, best, x);
        winner = hn::IfThenElse(hn::RebindMask(di, not_better), winner, hn::Set(di, tap));
      });
      const auto dead = hn::Or(hn::Le(best, zero), dropped);
      hn::Store(hn::IfThenZeroElse(dead, hn::Mul(best, scale)), d, pooled[i]);
      winner =
          hn::IfThenElse(hn::RebindMask(di, dead), hn::Set(di, ConvEpilogue::no_winner), winner);
      hn::Store(hn::DemoteTo(bytes, winner), bytes, winners[i]);
    }
    const std::int64_t plane = output * grid_.out_height * grid_.out_width;
    scatter<pooled_side>(tiles, pooled, dst_ + plane);
    scatter<pooled_side>(tiles, winners, epilogue_.winners + plane);
  }

  // Each tile's elements from their vectors into their plane.
  template <int pooled_side, class E>
  HWY_INLINE void scatter(const TileVector& tiles,
                          const E (&elements)[pooled_side * pooled_side][tile_lanes],
                          E* plane) const {
    const std::int64_t width =
        grid_.out_width;  // which bytes could be part of, for all the compiler knows
    for (int lane = 0; lane < tile_lanes; ++lane) {
      E* to = plane + tiles.dst_offset[lane];
      if (tiles.whole(grid_, lane)) {
        unroll<pooled_side * pooled_side>([&](auto i) HWY_ATTR {
          to[i / pooled_side * width + i % pooled_side] = elements[i][lane];
        });
        continue;
      }
      for (std::int64_t row = 0; row < tiles.rows[lane]; ++row) {
        for (std::int64_t column = 0; column < tiles.columns[lane]; ++column) {
          to[row * width + column] = elements[row * pooled_side + column][lane];
        }
      }
    }
  }

  // Tiles that are neighbours in a row are one run of columns.
  template <class E>
  HWY_INLINE void fill(const TileVector& tiles, E* plane, E value) const {
    const std::int64_t width = grid_.out_width;
    for (int lane = 0; lane < tile_lanes;) {
      E* to = plane + tiles.dst_offset[lane];
      const std::int64_t strip = tiles.strip[lane], rows = tiles.rows[lane];
      std::int64_t columns = 0;
      for (; lane < tile_lanes && tiles.strip[lane] == strip; ++lane)
        columns += tiles.columns[lane];
      for (std::int64_t row = 0; row < rows; ++row) std::fill_n(to + row * width, columns, value);
    }
  }

  const TileGrid& grid_;
  const std::int64_t outputs_;
  const ConvEpilogue& epilogue_;
  float* dst_;
};

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
