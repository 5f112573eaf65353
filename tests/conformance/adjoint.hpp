// The adjoint identity: a gradient is right if <A x, y> = <x, A^T y> for all x and y.
//
// On small integers both sums are exact, so the two numbers must be equal: no step size, no
// tolerance, no oracle. This is what judges the reference itself.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "backplane/operation.hpp"
#include "data.hpp"
#include "execute.hpp"

namespace conformance {

class Adjoint {
 public:
  explicit Adjoint(backplane::Device device) : device_(device) {}

  // Integers in [-2, 5], others at each call: few sums of them are 0 by chance.
  [[nodiscard]] Tensor integers(const Shape& shape);

  // The first output of an operation.
  [[nodiscard]] Tensor run(const backplane::Operation& operation, const std::vector<Tensor>& inputs,
                           const Shape& output) const;
  [[nodiscard]] std::vector<Tensor> run(const backplane::Operation& operation,
                                        const std::vector<Tensor>& inputs,
                                        const std::vector<OutputKind>& outputs) const;

  // What is wrong with <a, b> = <c, d>; empty: nothing. Two products of 0 prove nothing.
  [[nodiscard]] static std::string compare(const Tensor& a, const Tensor& b, const Tensor& c,
                                           const Tensor& d);

 private:
  backplane::Device device_;
  std::mt19937_64 random_{20240229};
};

}  // namespace conformance
