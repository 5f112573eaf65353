// Gradients of the library's functions against differences in float64: those of which the reference
// computes in f64.
#include "backplane/functional.hpp"
#include "differences.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

using Inputs = std::vector<Tensor>;

struct Gradient {
  const char* operation;
  Differentiable function;
};

// A function of one tensor, on both sides of 0 or where it is defined.
Gradient of_one(const char* operation, Tensor (*function)(const Tensor&), double low = -2,
                double high = 2) {
  return {operation,
          {{{{3, 5}, low, high}}, [function](const Inputs& x) { return function(x[0]); }}};
}

Gradient of_two(const char* operation, Tensor (*function)(const Tensor&, const Tensor&),
                double low = -2, double high = 2) {
  return {operation,
          {{{{3, 1}, low, high}, {{2, 1, 4}, low, high}},  // each is expanded
           [function](const Inputs& x) { return function(x[0], x[1]); }}};
}

std::vector<Gradient> functions_of_one() {
  return {
      of_one("abs_backward", abs, 0.5, 2),
      of_one("clamp_backward", [](const Tensor& x) { return clamp(x, {.min = -1, .max = 1}); }),
      of_one("elu_backward", [](const Tensor& x) { return elu(x, 1.5f); }),
      of_one("exp", exp),
      of_one("gelu_backward", [](const Tensor& x) { return gelu(x); }),
      of_one("leaky_relu_backward", [](const Tensor& x) { return leaky_relu(x, 0.25f); }),
      of_one("log", log, 0.5, 3),
      of_one("neg", neg),
      of_one("reciprocal", reciprocal, 0.5, 3),
      of_one("relu_backward", relu),
      of_one("rsqrt", rsqrt, 0.5, 3),
      of_one("sigmoid_backward", sigmoid),
      of_one("silu_backward", silu),
      of_one("softplus_backward", [](const Tensor& x) { return softplus(x); }),
      of_one("sqrt", sqrt, 0.5, 3),
      of_one("square", square),
      of_one("tanh_backward", tanh),
  };
}

std::vector<Gradient> other_functions() {
  return {
      of_two("add", add),
      of_two("div", div, 0.5, 3),
      of_two("mul", mul),
      of_two(
          "pow", [](const Tensor& a, const Tensor& b) { return pow(a, b); }, 0.5, 2),
      of_two("sub", sub),
      {"matmul",
       {{{{3, 4}}, {{4, 2}}, {{2}}}, [](const Inputs& x) { return matmul(x[0], x[1], x[2]); }}},
      {"sum", {{{{2, 3, 4}}}, [](const Inputs& x) { return sum(x[0], {1}); }}},
  };
}

}  // namespace

void gradients_rows(Suite& suite) {
  for (const auto& list : {functions_of_one(), other_functions()}) {
    for (const Gradient& gradient : list) {
      suite.check(DataClass::closed_form, gradient.operation, "of the function, differences",
                  [function = gradient.function](Device device) {
                    return difference_fault(device, function);
                  });
    }
  }
}

}  // namespace conformance
