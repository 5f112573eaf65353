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
// enough: integers exact, floats to 1e-5 of it and 1e-6. ONNX's own runner asks for 1e-3.
[[nodiscard]] std::string difference(const backplane::Tensor& found,
                                     const backplane::Tensor& expected);

}  // namespace onnx_nodes
