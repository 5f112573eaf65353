// softmax and its backward operation.
#include "cpu/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/softmax.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

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

void softmax_f32(Rows rows, RowsOf<const float> src, RowsOf<float> dst) {
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    softmax_row(rows.count, src.data + row * src.row_stride, dst.data + row * dst.row_stride);
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

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(softmax_f32);
HWY_EXPORT(softmax_backward_f32);

void softmax(Rows rows, RowsOf<const float> src, RowsOf<float> dst) {
  HWY_DYNAMIC_DISPATCH(softmax_f32)(rows, src, dst);
}

void softmax_backward(Rows rows, RowsOf<const float> diff_dst, RowsOf<const float> dst,
                      RowsOf<float> diff_src) {
  HWY_DYNAMIC_DISPATCH(softmax_backward_f32)(rows, diff_dst, dst, diff_src);
}

}  // namespace backplane::cpu
#endif
