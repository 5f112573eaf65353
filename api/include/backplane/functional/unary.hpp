// Functions of each element.
#pragma once

#include <optional>

#include "backplane/tensor.hpp"

namespace backplane {

// Functions of each element of a floating tensor. A NaN stays NaN; the rules for zeros, infinities
// and kinks stand beside each operation in plugin/ops.hpp.
[[nodiscard]] Tensor neg(const Tensor& x);
[[nodiscard]] Tensor abs(const Tensor& x);   // gradient 0 at 0
[[nodiscard]] Tensor sign(const Tensor& x);  // -1, 0 or 1; gradient 0 everywhere
[[nodiscard]] Tensor exp(const Tensor& x);
[[nodiscard]] Tensor log(const Tensor& x);  // the natural one
[[nodiscard]] Tensor sqrt(const Tensor& x);
[[nodiscard]] Tensor rsqrt(const Tensor& x);  // 1 / sqrt(x)
[[nodiscard]] Tensor square(const Tensor& x);
[[nodiscard]] Tensor reciprocal(const Tensor& x);  // 1 / x
[[nodiscard]] inline Tensor operator-(const Tensor& x) {
  return neg(x);
}

struct ClampOptions {
  std::optional<float> min = {}, max = {};  // one of them at least
};
// min(max(x, options.min), options.max). The gradient passes from bound to bound, both included.
[[nodiscard]] Tensor clamp(const Tensor& x, const ClampOptions& options);

}  // namespace backplane
