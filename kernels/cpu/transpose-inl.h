// Transposes in registers, of floats and of bytes; included once for each instruction set.
#if defined(BACKPLANE_CPU_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_TRANSPOSE_INL_H
#undef BACKPLANE_CPU_TRANSPOSE_INL_H
#else
#define BACKPLANE_CPU_TRANSPOSE_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// dst[column][row] = src[row][column]; strides lead from row to row.
struct Transpose {
  std::int64_t rows, columns, src_stride, dst_stride;
};

// The plain way of writing: store(d, vector, offset in the destination).
struct StoreTransposed {
  template <class D>
  HWY_INLINE void operator()(D d, hwy::HWY_NAMESPACE::Vec<D> value, std::int64_t at) const {
    hwy::HWY_NAMESPACE::StoreU(value, d, dst + at);
  }
  float* dst;
};

template <class Store>
HWY_INLINE void transpose_elements(const Transpose& t, std::int64_t first_row, const float* src,
                                   const Store& store) {
  const hwy::HWY_NAMESPACE::CappedTag<float, 1> d;
  for (std::int64_t column = 0; column < t.columns; ++column) {
    for (std::int64_t row = first_row; row < t.rows; ++row) {
      store(d, hwy::HWY_NAMESPACE::Set(d, src[row * t.src_stride + column]),
            column * t.dst_stride + row);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR
template <class Store>
HWY_INLINE void transpose(const Transpose& t, const float* src, const Store& store) {
  transpose_elements(t, 0, src, store);
}
#else

// Blocks of four floats, `stride` apart.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> load_blocks(D d, const float* src, std::int64_t stride) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::LoadU(d, src);
  } else {
    const hn::Half<D> half;
    constexpr std::int64_t blocks = hn::MaxLanes(hn::Half<D>()) / 4;
    return hn::Combine(d, load_blocks(half, src + blocks * stride, stride),
                       load_blocks(half, src, stride));
  }
}

// A row for each lane of D, four columns.
template <class D, class Store>
HWY_INLINE void transpose_tile(D d, const Transpose& t, std::int64_t row, std::int64_t column,
                               const float* src, const Store& store) {
  namespace hn = hwy::HWY_NAMESPACE;
  const float* from = src + row * t.src_stride + column;
  const auto row0 = load_blocks(d, from, 4 * t.src_stride);
  const auto row1 = load_blocks(d, from + t.src_stride, 4 * t.src_stride);
  const auto row2 = load_blocks(d, from + 2 * t.src_stride, 4 * t.src_stride);
  const auto row3 = load_blocks(d, from + 3 * t.src_stride, 4 * t.src_stride);
  const auto even_low = hn::InterleaveLower(d, row0, row2);
  const auto odd_low = hn::InterleaveLower(d, row1, row3);
  const auto even_high = hn::InterleaveUpper(d, row0, row2);
  const auto odd_high = hn::InterleaveUpper(d, row1, row3);
  const std::int64_t to = column * t.dst_stride + row;
  store(d, hn::InterleaveLower(d, even_low, odd_low), to);
  store(d, hn::InterleaveUpper(d, even_low, odd_low), to + t.dst_stride);
  store(d, hn::InterleaveLower(d, even_high, odd_high), to + 2 * t.dst_stride);
  store(d, hn::InterleaveUpper(d, even_high, odd_high), to + 3 * t.dst_stride);
}

// The last tile of each axis overlaps the one before: the same values are written twice.
template <class D, class Store>
HWY_INLINE void transpose_tiles(D d, const Transpose& t, const float* src, const Store& store) {
  constexpr std::int64_t lanes = hwy::HWY_NAMESPACE::MaxLanes(D());
  for (std::int64_t row = 0; row < t.rows; row += lanes) {
    for (std::int64_t column = 0; column < t.columns; column += 4) {
      transpose_tile(d, t, std::min(row, t.rows - lanes), std::min(column, t.columns - 4), src,
                     store);
    }
  }
}

template <class Store>
HWY_INLINE void transpose(const Transpose& t, const float* src, const Store& store) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> widest;
  if (t.columns < 4 || t.rows < 4) {
    transpose_elements(t, 0, src, store);
  } else if (t.rows >= static_cast<std::int64_t>(hn::Lanes(widest))) {
    transpose_tiles(widest, t, src, store);
  } else {
    transpose_tiles(hn::CappedTag<float, 4>(), t, src, store);
  }
}

// 16 rows of 16 bytes, side by side -> 16 columns, `dst_stride` apart.
HWY_INLINE void transpose_bytes(const std::uint8_t* src, std::uint8_t* dst,
                                std::int64_t dst_stride) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<std::uint8_t, 16> d;
  hn::Vec<decltype(d)> row[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) row[i] = hn::LoadU(d, src + 16 * i);
    // Shuffling the 256 bytes four times, as one shuffles cards, exchanges the halves of their
    // index.
#pragma GCC unroll 4
  for (int round = 0; round < 4; ++round) {
    hn::Vec<decltype(d)> shuffled[16];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      shuffled[2 * i] = hn::InterleaveLower(d, row[i], row[i + 8]);
      shuffled[2 * i + 1] = hn::InterleaveUpper(d, row[i], row[i + 8]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) row[i] = shuffled[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) hn::StoreU(row[i], d, dst + i * dst_stride);
}
#endif

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
