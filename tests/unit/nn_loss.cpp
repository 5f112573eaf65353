// Losses as objects: each reduction reaches its function.
#include "backplane/nn/loss.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace backplane;

TEST_CASE("cross entropy loss: of equal logits it is log of the classes") {
  const Tensor logits = zeros({2, 4});
  const Tensor labels = tensor<std::int64_t>(std::vector<std::int64_t>{0, 3}, {2});
  const double expected = std::log(4.0);
  CHECK(CrossEntropyLoss()(logits, labels).item() == doctest::Approx(expected));
  CHECK(CrossEntropyLoss{Reduction::sum}(logits, labels).item() == doctest::Approx(2 * expected));
  CHECK(CrossEntropyLoss{Reduction::none}(logits, labels).shape() == Shape{2});
}

TEST_CASE("mse loss: the mean of squares") {
  const Tensor x = tensor({1, 2, 3}), target = tensor({1, 0, 0});
  CHECK(MSELoss()(x, target).item() == doctest::Approx(13.0 / 3));
  CHECK(MSELoss{Reduction::sum}(x, target).item() == 13);
  CHECK(MSELoss{Reduction::none}(x, target).to_vector<float>() == std::vector<float>{0, 4, 9});
}
