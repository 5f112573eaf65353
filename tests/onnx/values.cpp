// The elements of tensors as numbers of the host, and the comparison of two tensors.
#include "values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "backplane/functional.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

// The host holds tensors and converts none, so the plainest device does it.
Tensor converted(const Tensor& x, DType type) {
  return cast(x.cpu().to(device("reference:0")), type).cpu();
}

bool is_near(double found, double expected) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= 1e-6 + 1e-5 * std::abs(expected);
}

template <class T, class Near>
std::string first_difference(const std::vector<T>& found, const std::vector<T>& expected,
                             Near near_enough) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!near_enough(found[i], expected[i])) {
      return fmt::format("element {} must be {}, it is {}", i, expected[i], found[i]);
    }
  }
  return {};
}

}  // namespace

std::vector<double> real_values(const Tensor& x) {
  return converted(x, DType::f64).to_vector<double>();
}

std::vector<std::int64_t> integer_values(const Tensor& x) {
  return converted(x, DType::i64).to_vector<std::int64_t>();
}

std::string difference(const Tensor& found, const Tensor& expected) {
  if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) {
    return fmt::format("the result must be {}{}, it is {}{}", to_string(expected.dtype()),
                       to_string(expected.shape()), to_string(found.dtype()),
                       to_string(found.shape()));
  }
  if (!is_floating(expected.dtype())) {
    return first_difference(integer_values(found), integer_values(expected), std::equal_to<>());
  }
  return first_difference(real_values(found), real_values(expected), is_near);
}

}  // namespace onnx_nodes
