// standardize and its backward operation.
#include "cpu/standardize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/standardize.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/plane-inl.h"
#include "cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Calls body(whether all operands lie side by side, step) with constants, so that its loops become
// vectors.
template <class Body>
HWY_INLINE void with_steps(bool dense, std::int64_t step, const Body& body) {
  if (dense && step == 0) {
    body(std::true_type(), Stride<0>());
  } else if (dense) {
    body(std::true_type(), Stride<1>());
  } else {
    body(std::false_type(), step);
  }
}

void add_squares_f32(Plane plane, Strided<const float> src, std::int64_t step, const float* mean,
                     double* squares) {
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const float* HWY_RESTRICT s = src.data + row * src.row_stride;
    if (src.stride == 1 && step == 0) {
      const auto centre = hn::Set(Tag(), *mean);
      *squares += sum_of(plane.count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
        const auto centred = hn::Sub(load(s + i, left, *mean), centre);
        return hn::Mul(centred, centred);
      });
      continue;
    }
    with_steps(src.stride == 1, step, [&](auto dense, auto each) HWY_ATTR {
      const std::int64_t from = dense ? 1 : src.stride;
      for (std::int64_t i = 0; i < plane.count; ++i) {
        const auto centred = static_cast<double>(s[i * from] - mean[i * each]);
        squares[i * each] += centred * centred;
      }
    });
  }
}

void standardize_f32(Plane plane, Strided<const float> src, std::int64_t step, const float* mean,
                     const float* factor, Strided<float> dst) {
  const bool side_by_side = src.stride == 1 && dst.stride == 1;
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const float* s = src.data + row * src.row_stride;
    float* d = dst.data + row * dst.row_stride;
    with_steps(side_by_side, step, [&](auto dense, auto each) HWY_ATTR {
      const std::int64_t from = dense ? 1 : src.stride, to = dense ? 1 : dst.stride;
#pragma GCC ivdep
      for (std::int64_t i = 0; i < plane.count; ++i) {
        d[i * to] = (s[i * from] - mean[i * each]) * factor[i * each];
      }
    });
  }
}

void add_products_f32(Plane plane, Strided<const float> diff_dst, Strided<const float> dst,
                      std::int64_t step, double* sums, double* products) {
  const bool side_by_side = diff_dst.stride == 1 && dst.stride == 1;
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const float* HWY_RESTRICT dy = diff_dst.data + row * diff_dst.row_stride;
    const float* HWY_RESTRICT y = dst.data + row * dst.row_stride;
    if (side_by_side && step == 0) {
      *sums += sum_of(plane.count, [&](std::int64_t i, std::int64_t left)
                                       HWY_ATTR { return load(dy + i, left, 0); });
      *products += sum_of(plane.count, [&](std::int64_t i, std::int64_t left) HWY_ATTR {
        return hn::Mul(load(dy + i, left, 0), load(y + i, left, 0));
      });
      continue;
    }
    with_steps(side_by_side, step, [&](auto dense, auto each) HWY_ATTR {
      const std::int64_t at_dy = dense ? 1 : diff_dst.stride, at_y = dense ? 1 : dst.stride;
      for (std::int64_t i = 0; i < plane.count; ++i) {
        const auto gradient = static_cast<double>(dy[i * at_dy]);
        sums[i * each] += gradient;
        products[i * each] += gradient * static_cast<double>(y[i * at_y]);
      }
    });
  }
}

void standardize_backward_f32(Plane plane, Strided<const float> diff_dst, Strided<const float> dst,
                              std::int64_t step, const float* mean, const float* product,
                              const float* factor, Strided<float> diff_src) {
  const bool side_by_side = diff_dst.stride == 1 && dst.stride == 1 && diff_src.stride == 1;
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const float* dy = diff_dst.data + row * diff_dst.row_stride;
    const float* y = dst.data + row * dst.row_stride;
    float* dx = diff_src.data + row * diff_src.row_stride;
    with_steps(side_by_side, step, [&](auto dense, auto each) HWY_ATTR {
      const std::int64_t at_dy = dense ? 1 : diff_dst.stride, at_y = dense ? 1 : dst.stride;
      const std::int64_t at_dx = dense ? 1 : diff_src.stride;
#pragma GCC ivdep
      for (std::int64_t i = 0; i < plane.count; ++i) {
        const float centred = dy[i * at_dy] - mean[i * each] - y[i * at_y] * product[i * each];
        dx[i * at_dx] = centred * factor[i * each];
      }
    });
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(add_squares_f32);
HWY_EXPORT(standardize_f32);
HWY_EXPORT(add_products_f32);
HWY_EXPORT(standardize_backward_f32);

void add_squares(Plane plane, Strided<const float> src, std::int64_t step, const float* mean,
                 double* squares) {
  HWY_DYNAMIC_DISPATCH(add_squares_f32)(plane, src, step, mean, squares);
}

void standardize(Plane plane, Strided<const float> src, std::int64_t step, const float* mean,
                 const float* factor, Strided<float> dst) {
  HWY_DYNAMIC_DISPATCH(standardize_f32)(plane, src, step, mean, factor, dst);
}

void add_products(Plane plane, Strided<const float> diff_dst, Strided<const float> dst,
                  std::int64_t step, double* sums, double* products) {
  HWY_DYNAMIC_DISPATCH(add_products_f32)(plane, diff_dst, dst, step, sums, products);
}

void standardize_backward(Plane plane, Strided<const float> diff_dst, Strided<const float> dst,
                          std::int64_t step, const float* mean, const float* product,
                          const float* factor, Strided<float> diff_src) {
  HWY_DYNAMIC_DISPATCH(standardize_backward_f32)
  (plane, diff_dst, dst, step, mean, product, factor, diff_src);
}

}  // namespace backplane::cpu
#endif
