// Tensors of any type and strides as dense row-major values, which is all that an operation sees.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backplane/plugin/abi.h"

namespace backplane::reference {

struct Tensor {
  const bp_tensor_desc& desc;
  char* data;  // of the first element
};

[[nodiscard]] const char* dtype_name(std::uint32_t dtype);  // null: no bp_dtype
[[nodiscard]] std::uint64_t element_bytes(std::uint32_t dtype);
[[nodiscard]] std::int64_t element_count(const bp_tensor_desc& desc);

// Row-major strides without gaps.
void set_dense_strides(bp_tensor_desc& desc);

// Bytes from the first element to the end of the last one.
[[nodiscard]] std::uint64_t span_bytes(const bp_tensor_desc& desc);

// Every element in row-major order, as Value: double, std::int64_t or std::uint64_t.
template <class Value>
[[nodiscard]] std::vector<Value> load(const Tensor& tensor);

// The way back: converts each value as op::Copy does.
template <class Value>
void store(const Tensor& tensor, const std::vector<Value>& values);

// Calls visit(offset in elements) for each index in row-major order.
template <class Visit>
void for_each_offset(const bp_tensor_desc& desc, Visit visit) {
  if (element_count(desc) == 0) return;
  const int last = static_cast<int>(desc.rank) - 1;
  const std::int64_t row_length = last < 0 ? 1 : desc.dims[last];
  const std::int64_t row_stride = last < 0 ? 0 : desc.strides[last];
  std::array<std::int64_t, BP_MAX_RANK> index{};
  std::int64_t row = 0;
  while (true) {
    for (std::int64_t i = 0; i < row_length; ++i) visit(row + i * row_stride);
    int axis = last - 1;
    while (axis >= 0 && ++index[axis] == desc.dims[axis]) {
      row -= (desc.dims[axis] - 1) * desc.strides[axis];
      index[axis--] = 0;
    }
    if (axis < 0) return;
    row += desc.strides[axis];
  }
}

}  // namespace backplane::reference
