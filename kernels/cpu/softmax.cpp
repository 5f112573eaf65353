// softmax, log_softmax and cross_entropy's gradient: everything that goes along rows with exp.
#include "cpu/softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/softmax.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
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

HWY_INLINE void softmax_row(std::int64_t count, const float* src, float* dst) {
  const Tag d;
  const float highest = max_or_nan(count, src);
  if (std::isnan(highest)) {
    std::fill_n(dst, count, highest);
    return;
  }
  const auto max = hn::Set(d, highest);
  const double sum = sum_of(count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
    const auto e = exp_of_difference(load(src + i, left, -infinity), max);
    store(e, left, dst + i);
    return e;
  });
  const auto divisor = hn::Set(d, static_cast<float>(sum));
  for_each_vector(count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
    store(hn::Div(load(dst + i, left, 0), divisor), left, dst + i);
  });
}

HWY_INLINE void log_softmax_row(std::int64_t count, const float* src, float* dst) {
  const Tag d;
  const float highest = max_or_nan(count, src);
  if (std::isnan(highest)) {
    std::fill_n(dst, count, highest);
    return;
  }
  const auto max = hn::Set(d, highest);
  const double sum = sum_of(count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
    return exp_of_difference(load(src + i, left, -infinity), max);
  });
  const auto logarithm = hn::Set(d, static_cast<float>(std::log(sum)));
  for_each_vector(count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
    store(hn::Sub(hn::Sub(load(src + i, left, 0), max), logarithm), left, dst + i);
  });
}

void softmax_f32(Rows rows, RowsOf<const float> src, RowsOf<float> dst) {
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    softmax_row(rows.count, src.data + row * src.row_stride, dst.data + row * dst.row_stride);
  }
}

void log_softmax_f32(Rows rows, RowsOf<const float> src, RowsOf<float> dst) {
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    log_softmax_row(rows.count, src.data + row * src.row_stride, dst.data + row * dst.row_stride);
  }
}

void softmax_backward_f32(Rows rows, RowsOf<const float> diff_dst, RowsOf<const float> dst,
                          RowsOf<float> diff_src) {
  const Tag d;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const float* dy = diff_dst.data + row * diff_dst.row_stride;
    const float* y = dst.data + row * dst.row_stride;
    float* dx = diff_src.data + row * diff_src.row_stride;
    const double sum = sum_of(rows.count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
      return hn::Mul(load(dy + i, left, 0), load(y + i, left, 0));
    });
    const auto total = hn::Set(d, static_cast<float>(sum));
    for_each_vector(rows.count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
      const auto difference = hn::Sub(load(dy + i, left, 0), total);
      store(hn::Mul(load(y + i, left, 0), difference), left, dx + i);
    });
  }
}

void log_softmax_backward_f32(Rows rows, RowsOf<const float> diff_dst, RowsOf<const float> dst,
                              RowsOf<float> diff_src) {
  const Tag d;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const float* dy = diff_dst.data + row * diff_dst.row_stride;
    const float* y = dst.data + row * dst.row_stride;
    float* dx = diff_src.data + row * diff_src.row_stride;
    const double sum = sum_of(rows.count, [&](std::int64_t i, std::int64_t left)
                                              HWY_ATTR { return load(dy + i, left, 0); });
    const auto total = hn::Set(d, static_cast<float>(sum));
    for_each_vector(rows.count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
      const auto y_here = load(y + i, left, 0);
      const auto e = hn::IfThenElse(hn::IsNaN(y_here), y_here, hn::Exp(d, y_here));
      store(hn::NegMulAdd(e, total, load(dy + i, left, 0)), left, dx + i);
    });
  }
}

void cross_entropy_backward_f32(Rows rows, RowsOf<const float> log_probabilities,
                                const std::int64_t* labels, RowsOf<const float> scale,
                                RowsOf<float> diff_src) {
  const Tag d;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const float* log_p = log_probabilities.data + row * log_probabilities.row_stride;
    float* dx = diff_src.data + row * diff_src.row_stride;
    const std::int64_t label = labels[row];
    if (label < 0 || label >= rows.count) {
      std::fill_n(dx, rows.count, 0.0f);
      continue;
    }
    const float factor = scale.data[row * scale.row_stride];
    for_each_vector(rows.count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
      const auto x = load(log_p + i, left, 0);
      const auto e = hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x));
      store(e, left, dx + i);
    });
    dx[label] -= 1.0f;
    for_each_vector(rows.count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
      store(hn::Mul(load(dx + i, left, 0), hn::Set(d, factor)), left, dx + i);
    });
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(softmax_f32);
HWY_EXPORT(softmax_backward_f32);
HWY_EXPORT(log_softmax_f32);
HWY_EXPORT(log_softmax_backward_f32);
HWY_EXPORT(cross_entropy_backward_f32);

void softmax(Rows rows, RowsOf<const float> src, RowsOf<float> dst) {
  HWY_DYNAMIC_DISPATCH(softmax_f32)(rows, src, dst);
}

void softmax_backward(Rows rows, RowsOf<const float> diff_dst, RowsOf<const float> dst,
                      RowsOf<float> diff_src) {
  HWY_DYNAMIC_DISPATCH(softmax_backward_f32)(rows, diff_dst, dst, diff_src);
}

void log_softmax(Rows rows, RowsOf<const float> src, RowsOf<float> dst) {
  HWY_DYNAMIC_DISPATCH(log_softmax_f32)(rows, src, dst);
}

void log_softmax_backward(Rows rows, RowsOf<const float> diff_dst, RowsOf<const float> dst,
                          RowsOf<float> diff_src) {
  HWY_DYNAMIC_DISPATCH(log_softmax_backward_f32)(rows, diff_dst, dst, diff_src);
}

void cross_entropy_backward(Rows rows, RowsOf<const float> log_probabilities,
                            const std::int64_t* labels, RowsOf<const float> scale,
                            RowsOf<float> diff_src) {
  HWY_DYNAMIC_DISPATCH(cross_entropy_backward_f32)
  (rows, log_probabilities, labels, scale, diff_src);
}

}  // namespace backplane::cpu
#endif
