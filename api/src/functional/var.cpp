// var and stddev, in two passes: the mean, then the squares of what is left, so that a large mean
// cancels nothing.
#include <limits>

#include "functional/broadcast.hpp"
#include "functional/reduction.hpp"

namespace backplane {

using detail::BackwardCall;
using detail::SavedTensor;

namespace {

// Squares and means leave the range and the digits of 16-bit floats.
bool is_narrow(DType type) {
  return type == DType::f16 || type == DType::bf16;
}

struct Variance {
  Tensor mean, value;  // reduced axes have size 1
  detail::Reduced reduced;
  double divisor;  // NaN where there is nothing to divide
};

Variance variance(const char* name, const Tensor& x, const std::vector<std::int64_t>& axes,
                  std::int64_t correction) {
  detail::check_floating(name, x);
  if (correction < 0) {
    detail::reject(
        "{}: correction can't be negative, got {}; 1 corrects for the mean's own "
        "deviation, 0 doesn't",
        name, correction);
  }
  Variance result{{}, {}, detail::reduce(name, x, axes), 0};
  const std::int64_t divisor = result.reduced.terms - correction;
  result.divisor =
      divisor > 0 ? static_cast<double>(divisor) : std::numeric_limits<double>::quiet_NaN();
  const Operation mean_of(op::Mean{result.reduced.axes}), sum_of(op::Sum{result.reduced.axes});
  result.mean = detail::run(mean_of, {x}, {x.dtype(), result.reduced.kept});
  const Tensor squares = square(x.detach() - result.mean);
  result.value = affine(detail::run(sum_of, {squares}, {x.dtype(), result.reduced.kept}),
                        1 / result.divisor, 0);
  return result;
}

// y, with the gradient dx = scale(dy) * (x - mean).
template <class Scale>
Tensor record_spread(const char* name, const Tensor& x, const Variance& variance, const Tensor& y,
                     bool keep, Scale scale) {
  const Tensor result = keep ? y : y.reshape(variance.reduced.vanished);
  if (!detail::records({x})) return result;
  return detail::record(name, {x}, result,
                        [name, x = SavedTensor(x), mean = variance.mean,
                         kept = variance.reduced.kept, scale](const BackwardCall& call) {
                          const Tensor deviation = x.get(name) - mean;
                          return std::vector{deviation * scale(call.gradient.reshape(kept))};
                        });
}

}  // namespace

Tensor var(const Tensor& x, std::vector<std::int64_t> axes, std::int64_t correction, bool keep) {
  const DType type = detail::get(x, "var").dtype;
  if (is_narrow(type)) return cast(var(cast(x, DType::f32), axes, correction, keep), type);
  const Variance v = variance("var", x, axes, correction);
  return record_spread("var", x, v, v.value, keep, [divisor = v.divisor](const Tensor& dy) {
    return affine(dy, 2 / divisor, 0);
  });
}

// Where nothing deviates the gradient is 0, though the square root has none there.
Tensor stddev(const Tensor& x, std::vector<std::int64_t> axes, std::int64_t correction, bool keep) {
  const DType type = detail::get(x, "stddev").dtype;
  if (is_narrow(type)) return cast(stddev(cast(x, DType::f32), axes, correction, keep), type);
  const Variance v = variance("stddev", x, axes, correction);
  const Tensor y = sqrt(v.value);
  return record_spread("stddev", x, v, y, keep,
                       [saved = SavedTensor(y), divisor = v.divisor](const Tensor& dy) {
                         const Tensor& y = saved.get("stddev");
                         const Tensor slope = affine(dy / y, 1 / divisor, 0);
                         return where(equal(y, 0), detail::scalar_like("stddev", dy, 0), slope);
                       });
}

}  // namespace backplane
