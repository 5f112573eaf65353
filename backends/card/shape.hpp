// From descriptions at the border to the walks that kernels take.
#pragma once

#include <initializer_list>
#include <string>

#include "arguments.h"
#include "backplane/plugin/abi.h"

namespace backplane::card {

[[nodiscard]] const char* dtype_name(std::uint32_t dtype);  // null: no bp_dtype
[[nodiscard]] i64 element_bytes(std::uint32_t dtype);
[[nodiscard]] i64 element_count(const bp_tensor_desc& desc);
// Bytes from the first element to the end of the last one.
[[nodiscard]] std::uint64_t span_bytes(const bp_tensor_desc& desc);
[[nodiscard]] std::string describe(const bp_tensor_desc& desc);  // f32[32,1,28,28]

// Row-major without gaps.
void set_dense_strides(bp_tensor_desc& desc);
[[nodiscard]] bool is_dense(const bp_tensor_desc& desc);

// A dense tensor that isn't at the border, such as one in the workspace.
[[nodiscard]] bp_tensor_desc dense(std::uint32_t dtype, std::initializer_list<i64> dims);

// The same memory with other dims, each with the stride given for it.
struct Axis {
  i64 dim, stride;
};
[[nodiscard]] bp_tensor_desc view(const bp_tensor_desc& desc, std::initializer_list<Axis> axes);

// The elements of all operands, which have equal dims. Axes that lie one after the other in every
// operand become one, and axes of 1 go, which leaves the row-major numbering as it is.
using Operands = std::initializer_list<const bp_tensor_desc*>;
[[nodiscard]] Nest nest(Operands operands);
// As nest, over those axes alone whose bit is set.
[[nodiscard]] Nest nest_over(std::uint32_t axes, Operands operands);

}  // namespace backplane::card
