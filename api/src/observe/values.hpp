// Elements of host tensors as plain numbers, for judging them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backplane/tensor.hpp"

namespace backplane::detail {

// The elements of a contiguous host tensor. Exact for every type but i64 above 2^53.
[[nodiscard]] std::vector<double> as_doubles(const Tensor& host);

// A copy in row-major host memory, from any device and layout. Waits for the stream.
[[nodiscard]] Tensor host_copy(const Tensor& tensor);

}  // namespace backplane::detail
