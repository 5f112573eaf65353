// Going along rows in vectors, the last of which may be partly filled; included once for each
// instruction set.
#if defined(BACKPLANE_CPU_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_ROWS_INL_H
#undef BACKPLANE_CPU_ROWS_INL_H
#else
#define BACKPLANE_CPU_ROWS_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cpu/rows.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

constexpr float infinity = std::numeric_limits<float>::infinity();

// A vector, or what is left of a row, topped up with `rest`.
HWY_INLINE Vector load(const float* src, std::int64_t count, float rest) {
  const Tag d;
  if (count >= static_cast<std::int64_t>(hn::Lanes(d))) return hn::LoadU(d, src);
  HWY_ALIGN float lanes[hn::MaxLanes(d)];
  std::fill_n(lanes, hn::Lanes(d), rest);
  std::memcpy(lanes, src, static_cast<std::size_t>(count) * sizeof(float));
  return hn::Load(d, lanes);
}
HWY_INLINE void store(Vector value, std::int64_t count, float* dst) {
  const Tag d;
  if (count >= static_cast<std::int64_t>(hn::Lanes(d))) {
    hn::StoreU(value, d, dst);
  } else {
    HWY_ALIGN float lanes[hn::MaxLanes(d)];
    hn::Store(value, d, lanes);
    std::memcpy(dst, lanes, static_cast<std::size_t>(count) * sizeof(float));
  }
}

// visit(first, elements left) for each vector of a row.
template <class Visit>
HWY_INLINE void for_each_vector(std::int64_t count, const Visit& visit) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Tag()));
  for (std::int64_t i = 0; i < count; i += lanes) visit(i, count - i);
}

// The sum of term(first, left) over a row: float lanes for a while, then double, so that long rows
// lose nothing.
template <class Term>
HWY_INLINE double sum_of(std::int64_t count, const Term& term) {
  const Tag d;
  const std::int64_t block = 64 * static_cast<std::int64_t>(hn::Lanes(d));
  double total = 0;
  for (std::int64_t begin = 0; begin < count; begin += block) {
    auto sum = hn::Zero(d);
    for_each_vector(std::min(block, count - begin), [&](std::int64_t i, std::int64_t) HWY_ATTR {
      sum = hn::Add(sum, term(begin + i, count - begin - i));
    });
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
  }
  return total;
}

// The maximum, or NaN where the row has a NaN or no finite maximum.
HWY_INLINE float max_or_nan(std::int64_t count, const float* src) {
  const Tag d;
  auto max = hn::Set(d, -infinity), nan = hn::Zero(d);
  for_each_vector(count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
    const auto x = load(src + i, left, -infinity);
    nan = hn::IfThenElse(hn::IsNaN(x), x, nan);
    max = hn::Max(max, x);
  });
  const float highest = hn::GetLane(hn::MaxOfLanes(d, max));
  const bool fine = hn::AllFalse(d, hn::IsNaN(nan)) && std::isfinite(highest);
  return fine ? highest : std::numeric_limits<float>::quiet_NaN();
}

// exp(x - max) to the last bit or two: what the subtraction rounds off (Knuth's two-sum) is a
// relative error of the result, and is put back.
HWY_INLINE Vector exp_of_difference(Vector x, Vector max) {
  const Tag d;
  const auto difference = hn::Sub(x, max);
  const auto back = hn::Add(difference, max);
  const auto lost = hn::Add(hn::Sub(x, back), hn::Sub(hn::Sub(back, difference), max));
  const auto e = hn::Exp(d, difference);
  return hn::IfThenElse(hn::IsFinite(lost), hn::MulAdd(e, lost, e), e);
}

// exp of what may be NaN: Highway's takes a NaN to zero.
HWY_INLINE Vector exp_or_nan(Vector x) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(Tag(), x));
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
