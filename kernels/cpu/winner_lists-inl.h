// The windows with a winner, as a list for each filter; included once for each instruction set.
#if defined(BACKPLANE_CPU_WINNER_LISTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_WINNER_LISTS_INL_H
#undef BACKPLANE_CPU_WINNER_LISTS_INL_H
#else
#define BACKPLANE_CPU_WINNER_LISTS_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include "cpu/sparse_conv-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The terms of a strip: those of filter f are [starts[f], starts[f + 1]). An offset leads from the
// strip's first pixel to the patch that a winner saw.
struct Terms {
  std::int32_t* starts;
  float* values;
  std::int32_t* offsets;
};

// How a winner's offset comes from its window's: origin + row * row_step + winner * column_step,
// where its row is winner / columns.
struct WinnerOffset {
  WinnerOffset(const SparseConv& conv, const PaddedImage& image)
      : column_step(static_cast<std::int32_t>(conv.pool.dilation[1] * image.result_column)),
        row_step(static_cast<std::int32_t>(conv.pool.dilation[0] * image.result_row -
                                           conv.pool.kernel[1] * column_step)),
        columns(static_cast<std::int32_t>(conv.pool.kernel[1])),
        reciprocal(65536 / columns + 1),
        taps(static_cast<std::int32_t>(conv.pool.kernel[0] * conv.pool.kernel[1])) {}

  std::int32_t column_step, row_step, columns;
  std::int32_t reciprocal;  // winner * reciprocal >> 16 is the quotient of all winners below 255
  std::int32_t taps;
};

// Windows [begin, end) of an image, whose terms are listed together: their origins, those of all
// windows, lead from the padded image's first pixel to their first patch, the strip begins at
// `first`.
struct StripOfWindows {
  std::int64_t begin, end;
  const std::int32_t* origins;
  std::int32_t first;
  WinnerOffset winner_offset;
};

// Windows one by one.
HWY_INLINE std::int32_t list_elements(const StripOfWindows& strip, const float* dy,
                                      const std::uint8_t* winners, std::int32_t count,
                                      const Terms& terms, float* bias) {
  const WinnerOffset& step = strip.winner_offset;
  for (std::int64_t i = strip.begin; i < strip.end; ++i) {
    const std::int32_t winner = winners[i];
    if (winner >= step.taps || dy[i] == 0) continue;
    terms.values[count] = dy[i];
    terms.offsets[count++] = strip.origins[i] - strip.first +
                             winner / step.columns * step.row_step + winner * step.column_step;
    *bias += dy[i];
  }
  return count;
}

#if HWY_TARGET != HWY_SCALAR
// The lanes of a mask go to the list's end, which has room for a vector.
template <class Offset, class Mask>
HWY_INLINE std::int32_t append(hn::Vec<Floats> value, Offset offset, Mask mask, const Terms& terms,
                               std::int32_t count) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
#if HWY_TARGET <= HWY_AVX3
  hn::StoreU(hn::Compress(value, mask), d, terms.values + count);
  hn::StoreU(hn::Compress(offset, hn::RebindMask(di, mask)), di, terms.offsets + count);
  return count + static_cast<std::int32_t>(hn::CountTrue(d, mask));
#else  // Highway 1.0 looks into a table here, which compilers copy to the stack each time
  alignas(64) float values[float_lanes];
  alignas(64) std::int32_t offsets[float_lanes];
  alignas(8) std::uint8_t bits[8];
  hn::Store(value, d, values);
  hn::Store(offset, di, offsets);
  hn::StoreMaskBits(d, mask, bits);
  for (std::int64_t lane = 0; lane < float_lanes; ++lane) {
    terms.values[count] = values[lane];
    terms.offsets[count] = offsets[lane];
    count += bits[lane / 8] >> lane % 8 & 1;
  }
  return count;
#endif
}
#endif

// The terms of one filter; the sum of their values goes to the lanes of `bias`.
HWY_INLINE std::int32_t list_terms(const StripOfWindows& strip, const float* dy,
                                   const std::uint8_t* winners, std::int32_t count,
                                   const Terms& terms, float* bias) {
  if (HWY_TARGET == HWY_SCALAR || strip.end < float_lanes) {
    return list_elements(strip, dy, winners, count, terms, bias);
  }
#if HWY_TARGET != HWY_SCALAR
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const hn::Rebind<std::uint8_t, Floats> d8;
  auto sum = hn::LoadU(d, bias);
  for (std::int64_t window = strip.begin; window < strip.end; window += float_lanes) {
    // The last vector overlaps the one before, whose windows it leaves out.
    const std::int64_t at = std::min(window, strip.end - float_lanes);
    const auto value = hn::LoadU(d, dy + at);
    const auto winner = hn::PromoteTo(di, hn::LoadU(d8, winners + at));
    const auto fresh =
        hn::Gt(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(window - at - 1)));
    const auto won = hn::And(fresh, hn::Lt(winner, hn::Set(di, strip.winner_offset.taps)));
    // Not hn::Ne, which is false of a NaN.
    const auto term = hn::AndNot(hn::Eq(value, hn::Zero(d)), hn::RebindMask(d, won));
    const auto row =
        hn::ShiftRight<16>(hn::Mul(winner, hn::Set(di, strip.winner_offset.reciprocal)));
    const auto origin = hn::Sub(hn::LoadU(di, strip.origins + at), hn::Set(di, strip.first));
    const auto offset =
        hn::Add(hn::Add(origin, hn::Mul(row, hn::Set(di, strip.winner_offset.row_step))),
                hn::Mul(winner, hn::Set(di, strip.winner_offset.column_step)));
    sum = hn::Add(sum, hn::IfThenElseZero(term, value));
    count = append(value, offset, term, terms, count);
  }
  hn::StoreU(sum, d, bias);
  return count;
#endif
}

// Offsets from the padded image's first pixel to the first patch of each window.
HWY_INLINE void fill_origins(const SparseConv& conv, const PaddedImage& image,
                             std::int32_t* origins) {
  for (std::int64_t row = 0; row < conv.pooled_height; ++row) {
    for (std::int64_t column = 0; column < conv.pooled_width; ++column) {
      *origins++ = static_cast<std::int32_t>(
          (row * conv.pool.stride[0] - conv.pool.padding[0]) * image.result_row +
          (column * conv.pool.stride[1] - conv.pool.padding[1]) * image.result_column);
    }
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
