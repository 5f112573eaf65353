// The elements of tensors as numbers of the host, and the comparison of two tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backplane/tensor.hpp"

namespace onnx_nodes {

[[nodiscard]] std::vector<double> real_values(const backplane::Tensor& x);
[[nodiscard]] std::vector<std::int64_t> integer_values(const backplane::Tensor& x);

// What differs first, in words; empty where type and shape are equal and each element is near
// enough: integers exact, floats within the rounding of their type.
[[nodiscard]] std::string difference(const backplane::Tensor& found,
                                     const backplane::Tensor& expected);

}  // namespace onnx_nodes
