// Function: forward and backward by users, what is saved, and what is refused.
#include "backplane/function.hpp"

#include <array>
#include <cmath>

#include "backplane/autograd.hpp"
#include "backplane/gradcheck.hpp"
#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

// x * y with both saved.
Function product() {
  return Function(
      "product",
      [](FunctionContext& context, std::span<const Tensor> inputs) {
        context.save({inputs[0], inputs[1]});
        return inputs[0] * inputs[1];
      },
      [](const FunctionContext& context, const Tensor& dy) {
        std::vector<Tensor> gradients(2);
        if (context.needs_gradient(0)) gradients[0] = dy * context.saved(1);
        if (context.needs_gradient(1)) gradients[1] = dy * context.saved(0);
        return gradients;
      });
}

// The identity, with a backward as given.
Function identity(Function::Backward backward) {
  return Function(
      "identity", [](FunctionContext&, std::span<const Tensor> inputs) { return inputs[0]; },
      std::move(backward));
}

std::string backward_error(const Function& function) {
  Tensor x = counting({3}).set_requires_grad();
  return error_of([&] {
    sum(function({x})).backward();
    return 0;
  });
}

}  // namespace

TEST_CASE("function: its gradient flows through the graph") {
  Tensor x = counting({3}).set_requires_grad();
  const Tensor y = affine(counting({3}), 2, 1);
  sum(product()({x * x, y})).backward();
  CHECK(values_of(x.grad()) == std::vector<float>{0, 6, 20});
  const auto both = [](std::span<const Tensor> inputs) { return product()(inputs); };
  const GradcheckResult result = gradcheck(both, std::array{counting({2, 3}), counting({2, 3})});
  CHECK(result.failure == "");
  CHECK(result.compared == 12);
}

TEST_CASE("function: nothing is recorded where nothing needs it") {
  const Tensor x = counting({3});
  CHECK_FALSE(product()({x, x}).requires_grad());
  Tensor leaf = counting({3}).set_requires_grad();
  CHECK_FALSE(no_grad([&] { return product()({leaf, x}); }).requires_grad());
}

TEST_CASE("function: a result that is an input becomes a tensor of its own") {
  Tensor x = counting({3}).set_requires_grad();
  const Function twice = identity(
      [](const FunctionContext&, const Tensor& dy) { return std::vector{affine(dy, 2, 0)}; });
  const Tensor y = twice({x});
  CHECK(y.impl() != x.impl());
  CHECK(x.is_leaf());
  sum(y).backward();
  CHECK(values_of(x.grad()) == std::vector<float>{2, 2, 2});
}

TEST_CASE("function: an undefined gradient counts as zeros") {
  Tensor x = counting({3}).set_requires_grad();
  const Function blocked =
      identity([](const FunctionContext&, const Tensor&) { return std::vector<Tensor>(1); });
  sum(blocked({x}) + x).backward();
  CHECK(values_of(x.grad()) == std::vector<float>{1, 1, 1});
}

TEST_CASE("function: gradients that don't fit") {
  CHECK(backward_error(identity([](const FunctionContext&, const Tensor& dy) {
          return std::vector{dy, dy};
        })) ==
        "invalid_argument: identity: backward must return a gradient for each of 1 inputs, got 2; "
        "leave those that nobody needs undefined");
  CHECK(backward_error(identity(
            [](const FunctionContext&, const Tensor& dy) { return std::vector{sum(dy)}; })) ==
        "invalid_argument: identity: backward's gradient 0 must be f32[3] on reference:0, as its "
        "input is, got f32[] on reference:0");
  CHECK(backward_error(identity([](const FunctionContext&, const Tensor& dy) {
          return std::vector{cast(dy, DType::f64)};
        })).find("got f64[3] on reference:0") != std::string::npos);
}

TEST_CASE("function: what is saved is checked") {
  Tensor x = counting({3}).set_requires_grad();
  Tensor y = counting({3});
  const Tensor loss = sum(product()({x, y}));
  y.fill(7);
  CHECK(error_of([&] {
          loss.backward();
          return 0;
        }) ==
        "invalid_argument: product: a tensor that backward needs (f32[3]) was changed in place 1 "
        "times since forward; change a clone() instead");
  CHECK(backward_error(identity([](const FunctionContext& context, const Tensor&) {
          return std::vector{context.saved(0)};
        })) == "invalid_argument: identity: backward asks for saved tensor 0, forward saved 0");
}

TEST_CASE("function: refusals") {
  const auto forward = [](FunctionContext&, std::span<const Tensor>) { return Tensor(); };
  const auto backward = [](const FunctionContext&, const Tensor&) { return std::vector<Tensor>(); };
  CHECK(error_of([&] { return Function("", forward, backward), 0; }) ==
        "invalid_argument: Function: it must have a name, which opens its messages");
  CHECK(error_of([&] { return Function("f", nullptr, backward), 0; }) ==
        "invalid_argument: f: forward is empty");
  CHECK(error_of([&] { return Function("f", forward, nullptr), 0; }) ==
        "invalid_argument: f: backward is empty");
  CHECK(error_of([&] { return Function("f", forward, backward)({counting({1})}); }) ==
        "invalid_argument: f: forward must return a tensor, got none");
}
