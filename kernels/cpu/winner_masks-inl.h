// The filters that won at each tap of each window, as bits of words; included once for each
// instruction set.
#if defined(BACKPLANE_CPU_WINNER_MASKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_WINNER_MASKS_INL_H
#undef BACKPLANE_CPU_WINNER_MASKS_INL_H
#else
#define BACKPLANE_CPU_WINNER_MASKS_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include "cpu/sparse_conv-inl.h"
#include "cpu/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Filters that are bits of one word.
constexpr std::int64_t word_filters = 64;

struct WinnerMasks {
  WinnerMasks(const SparseConv& conv, std::int64_t filters_of_word)
      : filters(conv.filters),
        windows(conv.pooled_height * conv.pooled_width),
        taps(conv.pool.kernel[0] * conv.pool.kernel[1]),
        filters_together(filters_of_word),
        words(ceil_div(filters, filters_together)),
        // 16 are transposed at a time, and a word is read from any of them on.
        codes_step(ceil_div(filters, 16) * 16 + word_filters) {}

  [[nodiscard]] std::int64_t codes_bytes() const {
    return std::max<std::int64_t>(windows, 16) * codes_step;
  }
  [[nodiscard]] std::int64_t mask_bytes() const { return words * windows * taps * 8; }

  std::int64_t filters, windows, taps;
  std::int64_t filters_together, words;
  std::int64_t codes_step;
};

#if HWY_TARGET != HWY_SCALAR
// The winners of 16 windows, 255 where there is nothing to add.
HWY_INLINE void code_winners(const float* dy, const std::uint8_t* winners, std::uint8_t* codes) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  for (std::size_t i = 0; i < 16; i += hn::Lanes(d)) {
    const auto winner = hn::PromoteTo(di, hn::LoadU(d8, winners + i));
    const auto absent = hn::RebindMask(di, hn::Eq(hn::LoadU(d, dy + i), hn::Zero(d)));
    const auto code = hn::IfThenElse(absent, hn::Set(di, 255), winner);
    hn::StoreU(hn::DemoteTo(d8, code), d8, codes + i);
  }
}

// codes[window][filter], in rows of codes_step.
HWY_INLINE void transpose_winners(const WinnerMasks& w, const float* dy,
                                  const std::uint8_t* winners, std::uint8_t* codes) {
  const std::int64_t windows = w.windows;
  for (std::int64_t filter = 0; filter < w.filters; filter += 16) {
    for (std::int64_t window = 0; window < windows; window += 16) {
      // The last tile overlaps the one before.
      const std::int64_t at = std::max<std::int64_t>(std::min(window, windows - 16), 0);
      alignas(64) std::uint8_t tile[16][16];
      for (std::int64_t i = 0; i < 16; ++i) {
        const std::int64_t row = (filter + i) * windows + at;
        if (filter + i < w.filters && windows >= 16) {
          code_winners(dy + row, winners + row, tile[i]);
          continue;
        }
        for (std::int64_t j = 0; j < 16; ++j) {
          const bool present = filter + i < w.filters && j < windows && dy[row + j] != 0;
          tile[i][j] = present ? winners[row + j] : 255;
        }
      }
      transpose_bytes(tile[0], codes + at * w.codes_step + filter, w.codes_step);
    }
  }
}

// One bit for each filter whose winner stood at a tap of a window: masks[word][window][tap].
HWY_INLINE void mask_winners(const WinnerMasks& w, const float* dy, const std::uint8_t* winners,
                             std::uint8_t* codes, std::uint64_t* masks) {
  const hn::CappedTag<std::uint8_t, word_filters> d;
  constexpr std::int64_t lanes = hn::MaxLanes(hn::CappedTag<std::uint8_t, word_filters>());
  transpose_winners(w, dy, winners, codes);
  for (std::int64_t word = 0; word < w.words; ++word) {
    const std::int64_t first = word * w.filters_together;
    const std::int64_t filters = std::min(w.filters_together, w.filters - first);
    const std::uint64_t present = ~std::uint64_t{0} >> (word_filters - filters);
    for (std::int64_t window = 0; window < w.windows; ++window) {
      const std::uint8_t* code = codes + window * w.codes_step + first;
      for (std::int64_t tap = 0; tap < w.taps; ++tap) {
        std::uint8_t bytes[word_filters / 8];
        for (std::int64_t i = 0; i < word_filters; i += lanes) {
          const auto here =
              hn::Eq(hn::LoadU(d, code + i), hn::Set(d, static_cast<std::uint8_t>(tap)));
          hn::StoreMaskBits(d, here, bytes + i / 8);
        }
        std::uint64_t bits;
        hwy::CopyBytes<sizeof bits>(bytes, &bits);
        *masks++ = bits & present;
      }
    }
  }
}
#else
HWY_INLINE void mask_winners(const WinnerMasks& w, const float* dy, const std::uint8_t* winners,
                             std::uint8_t*, std::uint64_t* masks) {
  std::fill_n(masks, w.words * w.windows * w.taps, 0);
  for (std::int64_t filter = 0; filter < w.filters; ++filter) {
    const std::int64_t word = filter / w.filters_together;
    const std::uint64_t bit = std::uint64_t{1} << filter % w.filters_together;
    for (std::int64_t window = 0; window < w.windows; ++window, ++dy, ++winners) {
      if (*winners >= w.taps || *dy == 0) continue;
      masks[(word * w.windows + window) * w.taps + *winners] |= bit;
    }
  }
}
#endif

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
