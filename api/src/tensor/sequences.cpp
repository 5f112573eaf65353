// arange, linspace, eye: each element is computed in double on the host, and rounded once.
#include "backplane/sequences.hpp"

#include <cmath>

#include "backplane/functional.hpp"
#include "check.hpp"
#include "tensor/saturate.hpp"

namespace backplane {

using detail::reject;

namespace {

template <class T, class Element>
Tensor made_of(const char* name, const Shape& shape, const TensorOptions& options,
               const Element& element) {
  std::vector<T> values(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = element(static_cast<std::int64_t>(i));
    values[i] = detail::saturate<T>(value);
    if constexpr (std::integral<T>) {
      if (static_cast<double>(values[i]) != value) {
        reject("{}: {} hasn't the number {}; choose another type", name, to_string(options.dtype),
               value);
      }
    }
  }
  return tensor(values, shape, options);
}

// Floats of 16 bits have no C++ type: they are cast from f64, on the device.
template <class Element>
Tensor made(const char* name, const Shape& shape, const TensorOptions& options,
            const Element& element) {
  switch (options.dtype) {
    case DType::f32:
      return made_of<float>(name, shape, options, element);
    case DType::f64:
      return made_of<double>(name, shape, options, element);
    case DType::i8:
      return made_of<std::int8_t>(name, shape, options, element);
    case DType::u8:
      return made_of<std::uint8_t>(name, shape, options, element);
    case DType::u16:
      return made_of<std::uint16_t>(name, shape, options, element);
    case DType::i32:
      return made_of<std::int32_t>(name, shape, options, element);
    case DType::i64:
      return made_of<std::int64_t>(name, shape, options, element);
    default:
      break;
  }
  const Tensor wide = made_of<double>(name, shape, {.device = options.device}, element);
  return cast(wide, options.dtype).set_requires_grad(options.requires_grad);
}

}  // namespace

Tensor arange(double begin, double end, double step, const TensorOptions& options) {
  const double count = std::ceil((end - begin) / step);
  if (!std::isfinite(begin) || !std::isfinite(step) || !(count >= 0 && count < 0x1p62)) {
    reject("arange: a step of {} doesn't lead from {} to {}; change its sign, or one of them", step,
           begin, end);
  }
  return made("arange", {static_cast<std::int64_t>(count)}, options,
              [=](std::int64_t i) { return std::fma(static_cast<double>(i), step, begin); });
}

Tensor arange(double end, const TensorOptions& options) {
  return arange(0, end, 1, options);
}

Tensor linspace(double first, double last, std::int64_t count, const TensorOptions& options) {
  if (count < 0) reject("linspace: the count can't be negative, got {}", count);
  if (!is_floating(options.dtype)) {
    reject("linspace: makes floating types, not {}; cast the result", to_string(options.dtype));
  }
  const double steps = static_cast<double>(count > 1 ? count - 1 : 1);
  return made("linspace", {count}, options, [=](std::int64_t i) {
    const double share = static_cast<double>(i) / steps;
    return first * (1 - share) + last * share;
  });
}

Tensor eye(std::int64_t rows, std::int64_t columns, const TensorOptions& options) {
  const std::int64_t width = columns == -1 ? rows : columns;
  if (rows < 0 || width < 0) {
    reject("eye: sizes can't be negative, got {} rows and {} columns", rows, columns);
  }
  return made("eye", {rows, width}, options,
              [=](std::int64_t i) { return i / width == i % width ? 1.0 : 0.0; });
}

}  // namespace backplane
