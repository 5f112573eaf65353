// cross_entropy's gradient.
#include "cpu/cross_entropy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/cross_entropy.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

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
      const auto e = exp_or_nan(x);
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

HWY_EXPORT(cross_entropy_backward_f32);

void cross_entropy_backward(Rows rows, RowsOf<const float> log_probabilities,
                            const std::int64_t* labels, RowsOf<const float> scale,
                            RowsOf<float> diff_src) {
  HWY_DYNAMIC_DISPATCH(cross_entropy_backward_f32)
  (rows, log_probabilities, labels, scale, diff_src);
}

}  // namespace backplane::cpu
#endif
