// Which tiles the lanes of a vector hold, and where they lie in memory.
#if defined(BACKPLANE_CPU_WINOGRAD_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_WINOGRAD_TILES_INL_H
#undef BACKPLANE_CPU_WINOGRAD_TILES_INL_H
#else
#define BACKPLANE_CPU_WINOGRAD_TILES_INL_H
#endif

#include <algorithm>

#include "cpu/conv_shape.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

constexpr int tile_lanes =
    static_cast<int>(hwy::HWY_NAMESPACE::MaxLanes(hwy::HWY_NAMESPACE::ScalableTag<float>()));

// A grid of tiles over the images of a shape; `side` outputs a tile along each axis, of which
// windows of `pool` become one element of dst.
struct TileGrid {
  TileGrid(const ConvShape& shape, std::int64_t side_, std::int64_t pool)
      : side(side_),
        tile_rows((shape.out_height() + side - 1) / side),
        tile_columns((shape.out_width() + side - 1) / side),
        images(shape.images),
        out_side(side / pool),
        out_height(shape.out_height() / pool),
        out_width(shape.out_width() / pool) {}

  // A row of tiles of one image; strips are numbered through all images.
  [[nodiscard]] std::int64_t strips() const { return images * tile_rows; }
  [[nodiscard]] std::int64_t tiles() const { return strips() * tile_columns; }

  std::int64_t side, tile_rows, tile_columns, images;
  std::int64_t out_side, out_height, out_width;  // of dst
};

// The tiles in one vector. Lanes behind the last tile repeat it and are written nowhere.
struct TileVector {
  HWY_INLINE void set(const TileGrid& grid, std::int64_t first, std::int64_t outputs) {
    partial_count = 0;
    for (int lane = 0; lane < tile_lanes; ++lane) {
      const bool exists = first + lane < grid.tiles();
      const std::int64_t tile = std::min(first + lane, grid.tiles() - 1);
      strip[lane] = tile / grid.tile_columns;
      column[lane] = tile % grid.tile_columns;
      image[lane] = strip[lane] / grid.tile_rows;
      const std::int64_t out_row = strip[lane] % grid.tile_rows * grid.out_side;
      const std::int64_t out_column = column[lane] * grid.out_side;
      dst_offset[lane] =
          (image[lane] * outputs * grid.out_height + out_row) * grid.out_width + out_column;
      rows[lane] = exists ? std::min(grid.out_side, grid.out_height - out_row) : 0;
      columns[lane] = exists ? std::min(grid.out_side, grid.out_width - out_column) : 0;
      if (rows[lane] < grid.out_side || columns[lane] < grid.out_side) {
        partial[partial_count++] = lane;
      }
    }
  }
  [[nodiscard]] HWY_INLINE bool one_image() const { return image[0] == image[tile_lanes - 1]; }
  [[nodiscard]] HWY_INLINE bool whole(const TileGrid& grid, int lane) const {
    return rows[lane] == grid.out_side && columns[lane] == grid.out_side;
  }

  std::int64_t strip[tile_lanes], column[tile_lanes], image[tile_lanes];
  // In dst: of the tile's first element in the plane of output 0, and how many of its elements
  // there are.
  std::int64_t dst_offset[tile_lanes], rows[tile_lanes], columns[tile_lanes];
  // Lanes that don't have all of them.
  int partial[tile_lanes], partial_count;
};

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
