// The adjoint identity: a gradient is right if <A x, y> = <x, A^T y> for all x and y.
#include "adjoint.hpp"

#include <fmt/format.h>

#include <numeric>

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

double inner_product(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = host_values(a), y = host_values(b);
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

}  // namespace

Tensor Adjoint::integers(const Shape& shape) {
  std::vector<double> numbers(static_cast<std::size_t>(shape.count()));
  whole(-2, 5)({random_, 1}, numbers);
  return host_tensor(numbers, shape, DType::f32);
}

Tensor Adjoint::run(const Operation& operation, const std::vector<Tensor>& inputs,
                    const Shape& output) const {
  return run(operation, inputs, std::vector<OutputKind>{{DType::f32, output}}).front();
}

std::vector<Tensor> Adjoint::run(const Operation& operation, const std::vector<Tensor>& inputs,
                                 const std::vector<OutputKind>& outputs) const {
  return run_operation(device_, operation, inputs, outputs);
}

std::string Adjoint::compare(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
  const double forward = inner_product(a, b), backward = inner_product(c, d);
  if (forward == 0 && backward == 0) return "both inner products are 0, which proves nothing";
  if (forward == backward) return "";
  return fmt::format("<A x, y> is {} but <x, A^T y> is {}", forward, backward);
}

}  // namespace conformance
