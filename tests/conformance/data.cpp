// The numbers that cases are run on: three classes, each reproducible from a seed.
#include "data.hpp"

#include <algorithm>
#include <cmath>

#include "backplane/device.hpp"
#include "execute.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

std::string_view to_string(DataClass data) {
  switch (data) {
    case DataClass::exact:
      return "exact";
    case DataClass::real:
      return "real";
    case DataClass::special:
      return "special";
    case DataClass::closed_form:
      return "closed_form";
    case DataClass::machinery:
      return "machinery";
  }
  return "unknown";
}

namespace {

// The distributions of the standard library differ between implementations; these don't.
double unit(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

std::int64_t whole_number(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

}  // namespace

Fill integers() {
  return [](const Draw& draw, std::span<double> to) {
    const double room = 0x1p23 / static_cast<double>(std::max<std::int64_t>(draw.terms, 1));
    const auto largest = static_cast<std::int64_t>(std::clamp(std::sqrt(room), 1.0, 4.0));
    const double density = std::min(1.0, room);
    for (double& value : to) {
      value = unit(draw.random) < density
                  ? static_cast<double>(whole_number(draw.random, -largest, largest))
                  : 0;
    }
  };
}

Fill whole(std::int64_t low, std::int64_t high) {
  return [low, high](const Draw& draw, std::span<double> to) {
    for (double& value : to) value = static_cast<double>(whole_number(draw.random, low, high));
  };
}

Fill reals(double low, double high) {
  return [low, high](const Draw& draw, std::span<double> to) {
    for (double& value : to) value = low + (high - low) * unit(draw.random);
  };
}

Fill values(std::vector<double> list) {
  return [list = std::move(list)](const Draw&, std::span<double> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = list[i % list.size()];
  };
}

std::span<std::byte> host_bytes(const Tensor& tensor) {
  const std::size_t size = size_of(tensor.dtype());
  auto* first = static_cast<std::byte*>(tensor.native_handle());
  return {first + static_cast<std::size_t>(tensor.storage_offset()) * size,
          static_cast<std::size_t>(tensor.count()) * size};
}

namespace {

template <class T>
Tensor host_tensor_of(std::span<const double> values, const Shape& shape) {
  std::vector<T> converted(values.size());
  std::ranges::transform(values, converted.begin(), [](double v) { return static_cast<T>(v); });
  return tensor(converted, shape, {.device = Device::host()});
}

// Types without a C++ type are converted by the oracle.
Tensor convert(const Tensor& host, DType dtype) {
  const Tensor result =
      run_operation(device("reference:0"), Operation(op::Copy{}), {host}, {{dtype, host.shape()}})
          .front();
  return result;
}

template <class T>
std::vector<double> values_of(const Tensor& tensor) {
  const auto elements = tensor.data<T>();
  return {elements.begin(), elements.end()};
}

}  // namespace

Tensor host_tensor(std::span<const double> values, const Shape& shape, DType dtype) {
  switch (dtype) {
    case DType::f32:
      return host_tensor_of<float>(values, shape);
    case DType::f64:
      return host_tensor_of<double>(values, shape);
    case DType::i8:
      return host_tensor_of<std::int8_t>(values, shape);
    case DType::u8:
      return host_tensor_of<std::uint8_t>(values, shape);
    case DType::u16:
      return host_tensor_of<std::uint16_t>(values, shape);
    case DType::i32:
      return host_tensor_of<std::int32_t>(values, shape);
    case DType::i64:
      return host_tensor_of<std::int64_t>(values, shape);
    case DType::f16:
    case DType::bf16:
      break;
  }
  return convert(host_tensor_of<double>(values, shape), dtype);
}

std::vector<double> host_values(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::f32:
      return values_of<float>(tensor);
    case DType::f64:
      return values_of<double>(tensor);
    case DType::i8:
      return values_of<std::int8_t>(tensor);
    case DType::u8:
      return values_of<std::uint8_t>(tensor);
    case DType::u16:
      return values_of<std::uint16_t>(tensor);
    case DType::i32:
      return values_of<std::int32_t>(tensor);
    case DType::i64:
      return values_of<std::int64_t>(tensor);
    case DType::f16:
    case DType::bf16:
      break;
  }
  return values_of<double>(convert(tensor, DType::f64));
}

}  // namespace conformance
