// Loads and stores: the one place that knows the types in memory.
#include "tensor.hpp"

#include <cstring>

#include "backplane/plugin/backend.hpp"
#include "convert.hpp"

namespace backplane::reference {
namespace {

// Calls body with a value of the type that `dtype` stands for.
template <class Body>
void with_type(std::uint32_t dtype, Body body) {
  switch (dtype) {
    case BP_F32:
      return body(float{});
    case BP_F64:
      return body(double{});
    case BP_F16:
      return body(Float16{});
    case BP_BF16:
      return body(BFloat16{});
    case BP_I8:
      return body(std::int8_t{});
    case BP_U8:
      return body(std::uint8_t{});
    case BP_I32:
      return body(std::int32_t{});
    case BP_I64:
      return body(std::int64_t{});
    case BP_U16:
      return body(std::uint16_t{});
  }
  throw plugin::unsupported("type " + std::to_string(dtype) + " is newer than this back end");
}

}  // namespace

const char* dtype_name(std::uint32_t dtype) {
  constexpr const char* names[] = {nullptr, "f32", "f64", "f16", "bf16",
                                   "i8",    "u8",  "i32", "i64", "u16"};
  return names[dtype < std::size(names) ? dtype : 0];
}

std::uint64_t element_bytes(std::uint32_t dtype) {
  std::uint64_t bytes = 0;
  with_type(dtype, [&](auto element) { bytes = sizeof element; });
  return bytes;
}

std::int64_t element_count(const bp_tensor_desc& desc) {
  std::int64_t count = 1;
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) count *= desc.dims[axis];
  return count;
}

void set_dense_strides(bp_tensor_desc& desc) {
  std::int64_t stride = 1;
  for (std::uint32_t axis = desc.rank; axis-- > 0;) {
    desc.strides[axis] = stride;
    stride *= desc.dims[axis];
  }
}

std::uint64_t span_bytes(const bp_tensor_desc& desc) {
  if (element_count(desc) == 0) return 0;
  std::int64_t last = 0;
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    last += (desc.dims[axis] - 1) * desc.strides[axis];
  }
  return (static_cast<std::uint64_t>(last) + 1) * element_bytes(desc.dtype);
}

// Elements move by memcpy: a wrapped buffer may be of any type, and need not be aligned.
template <class Value>
std::vector<Value> load(const Tensor& tensor) {
  std::vector<Value> values(static_cast<std::size_t>(element_count(tensor.desc)));
  with_type(tensor.desc.dtype, [&](auto element) {
    Value* next = values.data();
    for_each_offset(tensor.desc, [&](std::int64_t offset) {
      const auto position = offset * static_cast<std::int64_t>(sizeof element);
      std::memcpy(&element, tensor.data + position, sizeof element);
      *next++ = read_as<Value>(element);
    });
  });
  return values;
}

template <class Value>
void store(const Tensor& tensor, const std::vector<Value>& values) {
  with_type(tensor.desc.dtype, [&](auto element) {
    const Value* next = values.data();
    for_each_offset(tensor.desc, [&](std::int64_t offset) {
      element = write_as<decltype(element)>(*next++);
      const auto position = offset * static_cast<std::int64_t>(sizeof element);
      std::memcpy(tensor.data + position, &element, sizeof element);
    });
  });
}

template std::vector<double> load(const Tensor&);
template std::vector<std::int64_t> load(const Tensor&);
template std::vector<std::uint64_t> load(const Tensor&);
template void store(const Tensor&, const std::vector<double>&);
template void store(const Tensor&, const std::vector<std::int64_t>&);
template void store(const Tensor&, const std::vector<std::uint64_t>&);

}  // namespace backplane::reference
