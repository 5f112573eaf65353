// Transposes in registers, of floats and of bytes; included once for each instruction set.
#if defined(BACKPLANE_CPU_TRANSPOSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_TRANSPOSE_INL_H
#undef BACKPLANE_CPU_TRANSPOSE_INL_H
#else
#define BACKPLANE_CPU_TRANSPOSE_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include "cpu/blocks-inl.h"
#include "cpu/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The plain way of writing: store(d, vector, offset in the destination).
struct StoreTransposed {
  template <class D>
  HWY_INLINE void operator()(D d, hn::Vec<D> value, std::int64_t at) const {
    hn::StoreU(value, d, dst + at);
  }
  float* dst;
};

template <class Store>
HWY_INLINE void transpose_elements(const Transpose& t, const float* src, const Store& store) {
  const hn::CappedTag<float, 1> d;
  for (std::int64_t column = 0; column < t.columns; ++column) {
    for (std::int64_t row = 0; row < t.rows; ++row) {
      store(d, hn::Set(d, src[row * t.src_stride + column]), column * t.dst_stride + row);
    }
  }
}

// A row for each lane of D, four columns.
template <class D, class Store>
HWY_INLINE void transpose_tile(D d, const Transpose& t, std::int64_t row, std::int64_t column,
                               const float* src, const Store& store) {
  const float* from = src + row * t.src_stride + column;
  hn::Vec<D> columns[4];
  load_columns(
      d, [=](int lane) HWY_ATTR { return from + lane * t.src_stride; }, columns);
  const std::int64_t to = column * t.dst_stride + row;
  store(d, columns[0], to);
  store(d, columns[1], to + t.dst_stride);
  store(d, columns[2], to + 2 * t.dst_stride);
  store(d, columns[3], to + 3 * t.dst_stride);
}

// The last tile of each axis overlaps the one before: the same values are written twice.
template <class D, class Store>
HWY_INLINE void transpose_tiles(D d, const Transpose& t, const float* src, const Store& store) {
  constexpr std::int64_t lanes = hn::MaxLanes(D());
  for (std::int64_t row = 0; row < t.rows; row += lanes) {
    for (std::int64_t column = 0; column < t.columns; column += 4) {
      transpose_tile(d, t, std::min(row, t.rows - lanes), std::min(column, t.columns - 4), src,
                     store);
    }
  }
}

template <class Store>
HWY_INLINE void transpose(const Transpose& t, const float* src, const Store& store) {
  const hn::ScalableTag<float> widest;
  if (t.columns < 4 || t.rows < 4) {
    transpose_elements(t, src, store);
  } else if (t.rows >= static_cast<std::int64_t>(hn::Lanes(widest))) {
    transpose_tiles(widest, t, src, store);
  } else {
    transpose_tiles(hn::CappedTag<float, 4>(), t, src, store);
  }
}

#if HWY_TARGET != HWY_SCALAR
// 16 rows of 16 bytes, side by side -> 16 columns, `dst_stride` apart.
HWY_INLINE void transpose_bytes(const std::uint8_t* src, std::uint8_t* dst,
                                std::int64_t dst_stride) {
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
