// gradcheck: what it lets pass, and what it catches.
#include "backplane/gradcheck.hpp"

#include <array>
#include <cmath>

#include "backplane/autograd.hpp"
#include "backplane/function.hpp"
#include "backplane/nn/nn.hpp"
#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

using Inputs = std::span<const Tensor>;

// The identity with a gradient of factor * dy; NaN and all.
auto with_gradient(double factor) {
  return [factor](Inputs inputs) {
    const Function function(
        "scaled", [](FunctionContext&, Inputs x) { return x[0]; },
        [factor](const FunctionContext&, const Tensor& dy) {
          return std::vector{affine(dy, factor, 0)};
        });
    return function(inputs);
  };
}

const Tensor& numbers() {
  static const Tensor x = tensor({0.5f, -1.25f, 2});
  return x;
}

}  // namespace

TEST_CASE("gradcheck: right gradients pass, in double, of every floating input") {
  const auto product = [](Inputs inputs) { return sum(inputs[0] * inputs[1]) * tanh(inputs[0]); };
  const std::array inputs{numbers(), numbers()};
  const GradcheckResult result = gradcheck(product, inputs);
  CHECK(result.failure == "");
  CHECK(result.passed());
  CHECK(result.compared == 6);
  const Tensor labels = tensor<std::int64_t>(std::vector<std::int64_t>{2}, {1});
  const auto loss = [](Inputs x) { return cross_entropy(x[0].reshape({1, 3}), x[1]); };
  CHECK(gradcheck(loss, std::array{numbers(), labels}).compared == 3);
}

TEST_CASE("gradcheck: wrong gradients are named, with both slopes") {
  CHECK(gradcheck(with_gradient(1), std::array{numbers()}).passed());
  const GradcheckResult result = gradcheck(with_gradient(5), std::array{numbers()});
  CHECK_FALSE(result.passed());
  CHECK(result.failure.starts_with(
      "gradcheck: input 0, element 0 of [3]: backward gives 5 where differences say "));
  CHECK(gradcheck(with_gradient(NAN), std::array{numbers()}).failure.find("nan where") !=
        std::string::npos);
  const auto detached = [](Inputs x) { return x[0].detach() + x[0] * 0.0; };
  CHECK_FALSE(gradcheck(detached, std::array{numbers()}).passed());
}

TEST_CASE("gradcheck: no gradient where there is a slope, and nothing compared") {
  const auto second = [](Inputs x) { return x[0].detach() + x[1]; };
  CHECK(
      gradcheck(second, std::array{numbers(), numbers()})
          .failure.starts_with("gradcheck: input 0, element 0 of [3]: there is no gradient where"));
  const Tensor nothing = zeros({0});
  const GradcheckResult empty = gradcheck([](Inputs x) { return neg(x[0]); }, std::array{nothing});
  CHECK(empty.failure == "");
  CHECK_FALSE(empty.passed());
}

TEST_CASE("gradcheck: a function that isn't one") {
  const auto random = [](Inputs x) { return dropout(x[0], 0.5f); };
  CHECK(gradcheck(random, std::array{ones({64})})
            .failure.starts_with("gradcheck: two calls with the same inputs gave "));
  const auto is_nan = [](Inputs x) { return log(affine(square(x[0]), -1, 0)); };
  CHECK(gradcheck(is_nan, std::array{numbers()}).failure.find("the function must give the same") !=
        std::string::npos);
  CHECK(error_of([] {
          return gradcheck([](Inputs x) { return cast(x[0], DType::i32); }, std::array{numbers()})
              .compared;
        }) == "invalid_argument: gradcheck: the result must be floating, got i32[3]");
}

TEST_CASE("gradcheck: a layer, its input and its parameters") {
  Linear linear(3, 2);
  const Tensor before = linear.parameters()[0].clone();
  const GradcheckResult result = gradcheck(linear, tensor({1, 2, 3, -1, 0.5f, 2}).reshape({2, 3}));
  CHECK(result.failure == "");
  CHECK(result.compared == 6 + 6 + 2);
  CHECK(values_of(linear.parameters()[0]) == values_of(before));
  CHECK_FALSE(linear.parameters()[0].grad().defined());

  struct Wrong final : LayerOf<Wrong> {
    Tensor scale = ones({3}, {.requires_grad = true});
    Tensor forward(const Tensor& x) override { return with_gradient(3)(std::array{scale}) * x; }
    void visit(Visitor& visitor) override { visitor.parameter("scale", scale); }
  };
  CHECK(gradcheck(Wrong(), numbers()).failure.starts_with("gradcheck: scale, element 0 of [3]: "));
}
