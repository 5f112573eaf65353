// AnomalyGuard: which operation is named, forward and backward, and what it lets pass.
#include "backplane/observe/anomaly.hpp"

#include <cmath>

#include "backplane/autograd.hpp"
#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

TEST_CASE("anomaly: names the operation and the sample, forward") {
  const Tensor x = tensor(std::vector<float>{4, 1, 9, -1}, {2, 2}, on_reference());
  const AnomalyGuard guard;
  CHECK(values_of(sqrt(x.slice(0, 0, 1))) == std::vector<float>{2, 1});
  const std::string text = error_of([&] { return sqrt(x); });
  CHECK(text.starts_with("invalid_argument: anomaly: sqrt #"));
  CHECK(
      (text.ends_with("made nan in sample 1, element [1,1] of f32[2,2], output 0; its operands are "
                      "finite") ||
       text.ends_with("made -nan in sample 1, element [1,1] of f32[2,2], output 0; its operands "
                      "are finite")));
}

TEST_CASE("anomaly: names what an operation is the gradient of") {
  Tensor x = tensor({1, 0}, on_reference()).set_requires_grad();
  const Tensor y = sum(sqrt(x));
  const AnomalyGuard guard;
  const std::string text = error_of([&] {
    y.backward();
    return 0;
  });
  CHECK(text.find("anomaly: reciprocal #") != std::string::npos);
  CHECK(text.find("(the gradient of sqrt) made inf in sample 1") != std::string::npos);
}

TEST_CASE("anomaly: a NaN from outside is reported where it is read") {
  const Tensor x = tensor({1, NAN}, on_reference());
  const AnomalyGuard guard;
  CHECK(
      error_of([&] { return relu(x); }) ==
      "invalid_argument: anomaly: operand 0 of relu has nan in sample 1, element [1] of f32[2]; no "
      "operation that was watched made it");
}

TEST_CASE("anomaly: infinite operands explain infinities, and never a NaN") {
  const Tensor mask = tensor({0, -INFINITY}, on_reference()), x = counting({2});
  const AnomalyGuard guard;
  CHECK(values_of(x + mask)[1] == -INFINITY);
  CHECK(values_of(softmax(x + mask)) == std::vector<float>{1, 0});
  CHECK(values_of(full({1}, INFINITY, on_reference()))[0] == INFINITY);
  const std::string text = error_of([&] { return mask * x.slice(0, 0, 1); });
  CHECK(text.find("anomaly: mul #") != std::string::npos);
  CHECK(text.ends_with("its operands are infinite in part"));
}

TEST_CASE("anomaly: infinities may be allowed, and nothing is watched after its life") {
  const Tensor x = counting({2});
  {
    const AnomalyGuard guard({.infinities = false});
    CHECK(values_of(log(x))[0] == -INFINITY);
    CHECK(error_of([&] { return log(affine(x, -1, 0)); }) != "no error");
  }
  CHECK(std::isnan(values_of(log(affine(x, -1, 0)))[1]));
}
