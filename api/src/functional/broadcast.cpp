// NumPy's broadcasting, and C++ scalars as operands.
#include "functional/broadcast.hpp"

#include <cmath>

#include "tensor/saturate.hpp"

namespace backplane::detail {
namespace {

bool holds(DType type, double value) {
  switch (type) {
    case DType::i8:
      return saturate<std::int8_t>(value) == value;
    case DType::u8:
      return saturate<std::uint8_t>(value) == value;
    case DType::u16:
      return saturate<std::uint16_t>(value) == value;
    case DType::i32:
      return saturate<std::int32_t>(value) == value;
    case DType::i64:
      return value == std::floor(value) && -0x1p63 <= value && value < 0x1p63;
    default:
      return true;
  }
}

Tensor combined(const char* name, const Operation& operation, const Tensor& a, const Tensor& b,
                DType result) {
  if (a.shape() == b.shape()) return run(operation, {a, b}, {result, a.shape()});
  const Shape shape = broadcast(name, {a, b});
  return run(operation, {spread(a, shape), spread(b, shape)}, {result, shape});
}

}  // namespace

std::optional<Shape> common_shape(std::span<const Shape> shapes) {
  Shape result;
  for (const Shape& shape : shapes) {
    if (shape.rank() > result.rank()) result = shape;
  }
  const std::size_t rank = result.rank();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    result[axis] = 1;
    for (const Shape& shape : shapes) {
      const std::size_t shift = rank - shape.rank();
      const std::int64_t size = axis < shift ? 1 : shape[axis - shift];
      if (size == 1) continue;
      if (result[axis] == 1) result[axis] = size;
      if (result[axis] != size) return std::nullopt;
    }
  }
  return result;
}

Shape broadcast(const char* name, std::initializer_list<Tensor> operands) {
  std::vector<Shape> shapes;
  for (const Tensor& operand : operands) shapes.push_back(operand.shape());
  if (const auto shape = common_shape(shapes)) return *shape;
  std::string all;
  for (const Tensor& one : operands) all += (all.empty() ? "" : " and ") + describe(one);
  reject("{}: shapes must be equal or broadcast, got {}", name, all);
}

Tensor spread(const Tensor& x, const Shape& shape) {
  return x.shape() == shape ? plain_handle(x) : x.detach().expand(shape);
}

Tensor binary(const char* name, const Operation& operation, const Tensor& a, const Tensor& b) {
  check_same_type(name, a, b);
  return combined(name, operation, a, b, a.dtype());
}

Tensor predicate(const char* name, const Operation& operation, const Tensor& a, const Tensor& b) {
  check_same_type(name, a, b);
  return combined(name, operation, a, b, DType::u8);
}

Tensor scalar_like(const char* name, const Tensor& x, double value) {
  const DType type = get(x, name).dtype;
  if (!holds(type, value)) {
    reject("{}: {} takes whole numbers of its type, got {}; cast() it first", name, describe(x),
           value);
  }
  return full({}, value, {.dtype = type, .device = x.device()});
}

}  // namespace backplane::detail
