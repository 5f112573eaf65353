// Tensors as text.
#include <fmt/format.h>

#include <ostream>
#include <sstream>

#include "backplane/functional.hpp"
#include "check.hpp"
#include "device/device_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {
namespace {

constexpr std::int64_t largest_printed = 1000;  // elements; above, the head line says enough

template <class T>
void print_axis(std::ostream& out, const Shape& shape, std::size_t axis, const T*& next) {
  if (axis == shape.rank()) {
    if constexpr (sizeof(T) == 1) out << static_cast<int>(*next++);
    else out << *next++;
    return;
  }
  out << '[';
  for (std::int64_t i = 0; i < shape[axis]; ++i) {
    if (i > 0) out << (axis + 1 < shape.rank() ? ",\n" + std::string(axis + 1, ' ') : ", ");
    print_axis(out, shape, axis + 1, next);
  }
  out << ']';
}

template <class T>
void print_values(std::ostream& out, const Tensor& tensor) {
  const std::vector<T> values = tensor.to_vector<T>();
  const T* next = values.data();
  print_axis(out, tensor.shape(), 0, next);
}

void print_typed(std::ostream& out, const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::f32: return print_values<float>(out, tensor);
    case DType::f64: return print_values<double>(out, tensor);
    case DType::i8: return print_values<std::int8_t>(out, tensor);
    case DType::u8: return print_values<std::uint8_t>(out, tensor);
    case DType::u16: return print_values<std::uint16_t>(out, tensor);
    case DType::i32: return print_values<std::int32_t>(out, tensor);
    case DType::i64: return print_values<std::int64_t>(out, tensor);
    case DType::f16:
    case DType::bf16:
      if (tensor.device().is_host()) {
        out << "(cast to f32 on a device to see the values)";
        return;
      }
      return print_values<float>(out, cast(tensor, DType::f32));
  }
}

}  // namespace

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined tensor";
  std::ostringstream out;
  out << detail::describe(tensor) << " on " << tensor.device().name();
  if (tensor.count() <= largest_printed) {
    out << '\n';
    print_typed(out, tensor.detach());
  }
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

}  // namespace backplane
