// Element types and shapes: small values that describe a tensor.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace backplane {

// The numbers are those of the plug-in border.
enum class DType : std::uint32_t { f32 = 1, f64, f16, bf16, i8, u8, i32, i64, u16 };

[[nodiscard]] std::size_t size_of(DType type);          // bytes of one element
[[nodiscard]] std::string_view to_string(DType type);   // as in "f32"
[[nodiscard]] bool is_floating(DType type) noexcept;

// Maps a C++ type to its DType; f16 and bf16 have no C++ type here.
template <class T>
inline constexpr DType dtype_of = T::no_such_element_type;
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::i8;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::u8;
template <>
inline constexpr DType dtype_of<std::uint16_t> = DType::u16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::i64;

// Up to eight sizes (or strides), stored in place. Rank 0 is a scalar of one element.
class Shape {
 public:
  static constexpr std::size_t max_rank = 8;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> sizes);
  explicit Shape(std::span<const std::int64_t> sizes);  // Error(invalid_argument) above rank 8

  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t operator[](std::size_t axis) const noexcept { return sizes_[axis]; }
  [[nodiscard]] std::int64_t& operator[](std::size_t axis) noexcept { return sizes_[axis]; }
  // Counts from the end for negative axes; Error(out_of_range) outside [-rank, rank).
  [[nodiscard]] std::size_t axis(std::int64_t axis, std::string_view subject) const;
  [[nodiscard]] std::int64_t count() const noexcept;  // product of the sizes; at most 2^63 - 1
  [[nodiscard]] const std::int64_t* begin() const noexcept { return sizes_.data(); }
  [[nodiscard]] const std::int64_t* end() const noexcept { return sizes_.data() + rank_; }
  void push_back(std::int64_t size);
  friend bool operator==(const Shape& a, const Shape& b) noexcept;

 private:
  std::array<std::int64_t, max_rank> sizes_{};
  std::size_t rank_ = 0;
};

using Strides = Shape;  // in elements

[[nodiscard]] Strides row_major(const Shape& shape);
[[nodiscard]] std::string to_string(const Shape& shape);  // as in "[32,3,28,28]"

}  // namespace backplane
