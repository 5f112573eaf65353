// Shapes and small helpers that many rows share.
#pragma once

#include <array>
#include <vector>

#include "case.hpp"

namespace conformance {

// Rank 0, one element, both sides of a vector's width, rank 4, and enough to divide among threads.
inline const std::array elementwise_shapes{
    Shape{},        Shape{1},       Shape{31},         Shape{32},         Shape{33},
    Shape{3, 5},    Shape{7, 1, 3}, Shape{2, 3, 5, 7}, Shape{4, 8, 6, 6}, Shape{2, 3, 2, 3, 5},
    Shape{3, 24001}};

// Larger than a cache: kernels may write past it. Slow, so only row-major and exact.
inline Row streaming(Row row) {
  const Shape shape{4200001};
  row.arguments = dims_text(shape);
  for (Argument& input : row.inputs) input.shape = shape;
  for (Argument& output : row.outputs) output.shape = shape;
  row.classes = {DataClass::exact};
  row.layouts = {Layout::contiguous};
  row.aliases = {};
  row.large = true;
  return row;
}

// What every operation on them must accept: nothing to do.
inline const std::array empty_shapes{Shape{0}, Shape{3, 0, 2}};

// The values over and over: special values must come in the vector body and in its tail.
inline std::vector<double> repeated(const std::vector<double>& list, std::size_t count) {
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = list[i % list.size()];
  return result;
}

// An argument whose elements are written out.
inline Argument written(const Shape& shape, std::vector<double> list, DType dtype = DType::f32) {
  return {shape, dtype, values(list), values(list)};
}

inline std::string type_text(DType dtype) {
  return dtype == DType::f32 ? "" : std::string(backplane::to_string(dtype)) + ", ";
}

// A sum of products with its first two operands, the factors, in a 16-bit type; what is added to it
// and the result stay f32. The products are exact there, so the bound is that of f32.
inline Row with_factors(Row row, DType dtype) {
  row.arguments = type_text(dtype) + row.arguments;
  for (const std::size_t factor : {0, 1}) row.inputs[factor].dtype = dtype;
  return row;
}

}  // namespace conformance
