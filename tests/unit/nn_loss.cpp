// Losses as objects: each reduction reaches its function.
#include "backplane/nn/loss.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

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

namespace {

using Values = std::vector<float>;
using Labels = std::vector<std::int64_t>;

// Of probabilities 1/4 and 3/4, then 1/2 each.
Tensor uneven_logits() {
  return tensor({0, std::log(3.0f), 0, 0}).reshape({2, 2});
}

}  // namespace

TEST_CASE("cross entropy loss: smoothing, weights and labels to ignore") {
  const Tensor labels = tensor(Labels{0, 1}, {2});
  const double quarter = -std::log(0.25), rest = -std::log(0.75), half = std::log(2.0);
  const CrossEntropyLoss smooth{{.reduction = Reduction::none, .label_smoothing = 0.5f}};
  CHECK(smooth(uneven_logits(), labels).to_vector<float>()[0] ==
        doctest::Approx(0.75 * quarter + 0.25 * rest));
  const CrossEntropyLoss weighted{{.weight = tensor({1, 3})}};
  CHECK(weighted(uneven_logits(), labels).item() == doctest::Approx((quarter + 3 * half) / 4));
  const CrossEntropyLoss ignoring{{.ignore_index = -100}};
  CHECK(ignoring(uneven_logits(), tensor(Labels{0, -100}, {2})).item() == doctest::Approx(quarter));
  CHECK(std::isnan(ignoring(uneven_logits(), tensor(Labels{-100, -100}, {2})).item()));
}

TEST_CASE("cross entropy loss: probabilities, and trailing axes") {
  const Tensor labels = tensor(Labels{0, 1}, {2}), hot = tensor({1, 0, 0, 1}).reshape({2, 2});
  for (const Reduction reduction : {Reduction::mean, Reduction::sum}) {
    const CrossEntropyLoss loss{{.reduction = reduction}};
    CHECK(loss(uneven_logits(), hot).item() ==
          doctest::Approx(loss(uneven_logits(), labels).item()));
  }
  const Tensor image = uneven_logits().transpose(0, 1).reshape({1, 2, 1, 2});
  CHECK(CrossEntropyLoss()(image, labels.reshape({1, 1, 2})).item() ==
        doctest::Approx(CrossEntropyLoss()(uneven_logits(), labels).item()));
}

TEST_CASE("nll loss: log-probabilities as they come") {
  const Tensor log_p = tensor({-1, -2, -3, -4}).reshape({2, 2});
  const Tensor labels = tensor(Labels{1, 0}, {2});
  CHECK(NLLLoss()(log_p, labels).item() == 2.5);
  CHECK(NLLLoss{{.ignore_index = 0}}(log_p, labels).item() == 2);
}

TEST_CASE("l1, huber and smooth l1 loss") {
  const Tensor x = tensor({1, 2, 5}), target = tensor({1, 1, 1});
  CHECK(L1Loss()(x, target).item() == doctest::Approx(5.0 / 3));
  CHECK(L1Loss{Reduction::none}(x, target).to_vector<float>() == Values{0, 1, 4});
  CHECK(HuberLoss{2, Reduction::none}(x, target).to_vector<float>() == Values{0, 0.5f, 6});
  CHECK(SmoothL1Loss{2, Reduction::none}(x, target).to_vector<float>() == Values{0, 0.25f, 3});
  CHECK(SmoothL1Loss{0, Reduction::none}(x, target).to_vector<float>() == Values{0, 1, 4});
}

TEST_CASE("binary cross entropy loss: stable, and weighted") {
  const Tensor x = tensor({0, 200}), target = tensor({1, 0});
  const auto log2 = std::log(2.0);
  CHECK(BCEWithLogitsLoss{{.reduction = Reduction::sum}}(x, target).item() ==
        doctest::Approx(log2 + 200));
  const BCEWithLogitsLoss weighted{
      {.reduction = Reduction::sum, .weight = tensor({2, 0.5f}), .pos_weight = tensor({3, 9})}};
  CHECK(weighted(x, target).item() == doctest::Approx(2 * 3 * log2 + 100));
}

TEST_CASE("kl divergence loss: by batch, and of logarithms") {
  const Tensor log_p = log(tensor({0.25f, 0.75f, 0.5f, 0.5f}).reshape({2, 2}));
  const Tensor target = tensor({1, 0, 0.5f, 0.5f}).reshape({2, 2});
  CHECK(KLDivLoss()(log_p, target).item() == doctest::Approx(std::log(4.0) / 2));
  CHECK(KLDivLoss{{.reduction = KlDivReduction::mean}}(log_p, target).item() ==
        doctest::Approx(std::log(4.0) / 4));
  CHECK(KLDivLoss{{.log_target = true}}(log_p, log_p).item() == 0);
}
