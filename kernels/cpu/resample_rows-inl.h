// resample and its backward operation along rows whose elements lie side by side; included once for
// each instruction set.
//
// First the taps along one axis, into a line that stays in the cache, then those along the other. A
// line holds a piece of a row: the windows of as many outputs as it has room for.
#if defined(BACKPLANE_CPU_RESAMPLE_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_RESAMPLE_ROWS_INL_H
#undef BACKPLANE_CPU_RESAMPLE_ROWS_INL_H
#else
#define BACKPLANE_CPU_RESAMPLE_ROWS_INL_H
#endif

#include <algorithm>

#include "cpu/image-inl.h"
#include "cpu/resample.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

constexpr std::int64_t line_elements = 1024;
// Pairs are read and written whole, the one behind the last element too.
using Line = float[line_elements + 2];

HWY_INLINE float weight_of(const Taps& taps, std::int64_t tap) {
  return tap == 0 ? taps.first : taps.other;
}

// Outputs [first, last) along columns, and the elements [begin, end) of a row that they are made
// of.
struct Piece {
  std::int64_t first, last, begin, end;
};
HWY_INLINE Piece piece_from(std::int64_t first, std::int64_t outputs, const TapLine& columns) {
  Piece piece{first, first, 0, 0};
  for (; piece.last < outputs; ++piece.last) {
    const Taps& taps = columns.taps[piece.last];
    if (taps.count == 0) continue;
    const bool none_yet = piece.begin == piece.end;
    const std::int64_t begin = none_yet ? taps.begin : piece.begin, end = taps.begin + taps.count;
    if (end - begin > line_elements) break;
    piece.begin = begin;
    piece.end = none_yet ? end : std::max(piece.end, end);
  }
  return piece;
}

// Calls visit(d, taps, step, output, where its first tap is in the line) for all of a piece:
// vectors of outputs that are alike, the others one by one.
template <class Visit>
HWY_INLINE void for_each_window(const TapLine& columns, const Piece& piece, const Visit& visit) {
  const auto one_by_one = [&](std::int64_t first, std::int64_t last) HWY_ATTR {
    for (std::int64_t o = first; o < last; ++o) {
      const Taps& taps = columns.taps[o];
      visit(hn::CappedTag<float, 1>(), taps, 1, o, taps.count == 0 ? 0 : taps.begin - piece.begin);
    }
  };
  const std::int64_t first = std::clamp(columns.alike_begin, piece.first, piece.last);
  const std::int64_t last = std::clamp(columns.alike_end, first, piece.last);
  one_by_one(piece.first, first);
  cover(first, last, [&](auto d, std::int64_t o) HWY_ATTR {
    visit(d, columns.taps[o], columns.step, o, columns.taps[o].begin - piece.begin);
  });
  one_by_one(last, piece.last);
}

template <class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> multiples_of(D, std::int64_t step) {
  const hn::RebindToSigned<D> di;
  return hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(step)));
}

HWY_INLINE void resample_row(const Taps& rows, const TapLine& columns, const Piece& piece,
                             const Image<const float>& src, float* dst) {
  Line line;
  const std::int64_t count = piece.end - piece.begin;
  cover(0, count, [&](auto d, std::int64_t i) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (std::int64_t tap = 0; tap < rows.count; ++tap) {
      const float* from = pixel(src, rows.begin + tap, piece.begin + i);
      sum = hn::MulAdd(hn::Set(d, weight_of(rows, tap)), hn::LoadU(d, from), sum);
    }
    hn::StoreU(sum, d, line + i);
  });
  std::fill_n(line + count, 2, 0.0f);
  for_each_window(
      columns, piece,
      [&](auto d, const Taps& taps, std::int64_t step, std::int64_t o, std::int64_t at) HWY_ATTR {
        auto sum = hn::Zero(d);
        for (std::int64_t tap = 0; tap < taps.count; ++tap) {
          const float* from = line + at + tap;
          const auto weight = hn::Set(d, weight_of(taps, tap));
          if (step == 1) {
            sum = hn::MulAdd(weight, hn::LoadU(d, from), sum);
          } else if (step == 2) {
            hn::Vec<decltype(d)> x, next;
            hn::LoadInterleaved2(d, from, x, next);
            sum = hn::MulAdd(weight, x, sum);
            if (++tap < taps.count) sum = hn::MulAdd(hn::Set(d, taps.other), next, sum);
          } else {
            sum = hn::MulAdd(weight, hn::GatherIndex(d, from, multiples_of(d, step)), sum);
          }
        }
        hn::StoreU(sum, d, dst + o);
      });
}

// Windows along columns turned back: line[i] is what diff_dst adds to element piece.begin + i. One
// tap of all windows at a time, or two side by side where steps are 2: a loop over taps would add
// to what it has just stored, of which GCC 12 loses some.
HWY_INLINE void spread_row(const TapLine& columns, const Piece& piece, const float* diff_dst,
                           Line& line) {
  std::fill_n(line, piece.end - piece.begin + 2, 0.0f);
  const bool pairs = columns.step == 2;
  for (std::int64_t tap = 0; tap < columns.longest; tap += pairs ? 2 : 1) {
    for_each_window(
        columns, piece,
        [&](auto d, const Taps& taps, std::int64_t step, std::int64_t o, std::int64_t at) HWY_ATTR {
          if (tap >= taps.count) return;
          float* to = line + at + tap;
          const auto dy = hn::LoadU(d, diff_dst + o);
          const auto weight = hn::Set(d, weight_of(taps, tap));
          const auto other = hn::Set(d, tap + 1 < taps.count ? taps.other : 0);
          if (step == 2) {
            hn::Vec<decltype(d)> x, next;
            hn::LoadInterleaved2(d, to, x, next);
            hn::StoreInterleaved2(hn::MulAdd(weight, dy, x), hn::MulAdd(other, dy, next), d, to);
          } else if (step == 1) {
            hn::StoreU(hn::MulAdd(weight, dy, hn::LoadU(d, to)), d, to);
            if (pairs) hn::StoreU(hn::MulAdd(other, dy, hn::LoadU(d, to + 1)), d, to + 1);
          } else {
            const auto indices = multiples_of(d, step);
            hn::ScatterIndex(hn::MulAdd(weight, dy, hn::GatherIndex(d, to, indices)), d, to,
                             indices);
          }
        });
  }
}

// dst[i] = or += weight * line[i].
HWY_INLINE void put(std::int64_t count, float weight, const float* line, bool add, float* dst) {
  cover(0, count, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto term = hn::Mul(hn::Set(d, weight), hn::LoadU(d, line + i));
    hn::StoreU(add ? hn::Add(hn::LoadU(d, dst + i), term) : term, d, dst + i);
  });
}

// What isn't written yet is overwritten: columns from `written` on, in rows that no row of diff_dst
// before was part of. Everything else is added to.
HWY_INLINE void spread_piece(const TapLine& rows, const TapLine& columns, const Piece& piece,
                             std::int64_t written, const Image<const float>& diff_dst,
                             const Image<float>& diff_src) {
  const std::int64_t count = piece.end - piece.begin;
  const std::int64_t added = std::clamp<std::int64_t>(written - piece.begin, 0, count);
  std::int64_t written_rows = 0;
  const auto skip_to = [&](std::int64_t row) {
    for (; written_rows < row; ++written_rows) {
      std::fill_n(pixel(diff_src, written_rows, piece.begin + added), count - added, 0.0f);
    }
  };
  Line line;
  for (std::int64_t row = 0; row < diff_dst.height; ++row) {
    const Taps& taps = rows.taps[row];
    if (taps.count == 0) continue;
    spread_row(columns, piece, pixel(diff_dst, row, 0), line);
    skip_to(taps.begin);
    for (std::int64_t tap = 0; tap < taps.count; ++tap) {
      float* to = pixel(diff_src, taps.begin + tap, piece.begin);
      const bool again = taps.begin + tap < written_rows;
      put(again ? count : added, weight_of(taps, tap), line, true, to);
      if (!again) put(count - added, weight_of(taps, tap), line + added, false, to + added);
    }
    written_rows = std::max(written_rows, taps.begin + taps.count);
  }
  skip_to(diff_src.height);
}

HWY_INLINE void spread_rows(const TapLine& rows, const TapLine& columns,
                            const Image<const float>& diff_dst, const Image<float>& diff_src) {
  std::int64_t written = 0;
  const auto skip_to = [&](std::int64_t column) {
    for (std::int64_t row = 0; row < diff_src.height && written < column; ++row) {
      std::fill_n(pixel(diff_src, row, written), column - written, 0.0f);
    }
    written = std::max(written, column);
  };
  for (std::int64_t first = 0; first < diff_dst.width;) {
    const Piece piece = piece_from(first, diff_dst.width, columns);
    skip_to(piece.begin);
    spread_piece(rows, columns, piece, written, diff_dst, diff_src);
    written = std::max(written, piece.end);
    first = piece.last;
  }
  skip_to(diff_src.width);
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
