// Element types and shapes.
#include "backplane/dtype.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "check.hpp"

namespace backplane {

std::size_t size_of(DType type) {
  switch (type) {
    case DType::f64:
    case DType::i64: return 8;
    case DType::f32:
    case DType::i32: return 4;
    case DType::f16:
    case DType::bf16:
    case DType::u16: return 2;
    case DType::i8:
    case DType::u8: return 1;
  }
  detail::reject("size_of: no element type has the number {}", static_cast<std::uint32_t>(type));
}

std::string_view to_string(DType type) {
  switch (type) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::i8: return "i8";
    case DType::u8: return "u8";
    case DType::i32: return "i32";
    case DType::i64: return "i64";
    case DType::u16: return "u16";
  }
  return "unknown";
}

bool is_floating(DType type) noexcept {
  return type == DType::f32 || type == DType::f64 || type == DType::f16 || type == DType::bf16;
}

Shape::Shape(std::initializer_list<std::int64_t> sizes)
    : Shape(std::span<const std::int64_t>(sizes.begin(), sizes.size())) {}

Shape::Shape(std::span<const std::int64_t> sizes) {
  for (const std::int64_t size : sizes) push_back(size);
}

void Shape::push_back(std::int64_t size) {
  if (rank_ == max_rank) detail::reject("shape: at most {} axes are possible", max_rank);
  sizes_[rank_++] = size;
}

std::size_t Shape::axis(std::int64_t axis, std::string_view subject) const {
  const auto rank = static_cast<std::int64_t>(rank_);
  if (axis < -rank || axis >= rank) {
    detail::fail(ErrorCode::out_of_range, "{}: axis {} is outside [{}, {}) of shape {}", subject,
                 axis, -rank, rank, to_string(*this));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::int64_t Shape::count() const noexcept {
  if (std::find(begin(), end(), 0) != end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t size : *this) {
    if (__builtin_mul_overflow(count, size, &count)) return std::numeric_limits<std::int64_t>::max();
  }
  return count;
}

bool operator==(const Shape& a, const Shape& b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

Strides row_major(const Shape& shape) {
  Strides strides = shape;
  std::int64_t stride = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ","));
}

}  // namespace backplane
