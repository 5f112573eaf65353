// The numbers that cases are run on: three classes, each reproducible from a seed.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "backplane/tensor.hpp"

namespace conformance {

using backplane::DType;
using backplane::Shape;
using backplane::Tensor;

enum class DataClass {
  exact,        // small integers: every partial sum is exact, so any order gives the same numbers
  real,         // random fractions, judged by the bound of each element
  special,      // NaN, infinities, signed zeros, ties, empty axes: what ops.hpp has rules for
  closed_form,  // answers known without any oracle
  machinery     // streams, events, errors
};
[[nodiscard]] std::string_view to_string(DataClass data);

struct Draw {
  std::mt19937_64& random;
  std::int64_t terms;  // of the longest sum in which two such numbers are multiplied
};

// Writes one argument's elements, row-major. Every value must be exact in the argument's type,
// or is rounded to it.
using Fill = std::function<void(const Draw&, std::span<double>)>;

[[nodiscard]] Fill integers();  // in [-4, 4] or less, thinned out so that sums stay below 2^24
[[nodiscard]] Fill whole(std::int64_t low, std::int64_t high);  // low and high included
[[nodiscard]] Fill reals(double low, double high);
[[nodiscard]] Fill values(std::vector<double> list);  // repeated as often as it takes

// Row-major host tensor of the values, rounded to the type.
[[nodiscard]] Tensor host_tensor(std::span<const double> values, const Shape& shape, DType dtype);

// All elements of a contiguous host tensor, as they lie in memory.
[[nodiscard]] std::span<std::byte> host_bytes(const Tensor& tensor);

// As doubles, for reports; half types and large integers included.
[[nodiscard]] std::vector<double> host_values(const Tensor& tensor);

}  // namespace conformance
