// What losses refuse: the wrong input beside the right one.
#include <doctest/doctest.h>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

TEST_CASE("losses: shapes and types") {
  const Tensor logits = of({2, 3}), labels = of({2}, DType::i64);
  CHECK(cross_entropy(logits, labels).rank() == 0);
  CHECK(cross_entropy(logits, labels, Reduction::none).shape() == Shape{2});
  CHECK(error_of([&] { return cross_entropy(logits, of({2}, DType::i32)); }) ==
        "invalid_argument: cross_entropy: labels must be i64, got i32[2]; cast() them");
  CHECK(error_of([&] { return cross_entropy(logits, of({3}, DType::i64)); }) ==
        "invalid_argument: cross_entropy: expects one label for each of 2 samples, got i64[3] "
        "(logits f32[2,3])");
  CHECK(error_of([&] {
          return cross_entropy(of({2, 3, 1}), labels);
        }) ==
        "invalid_argument: cross_entropy: expects one label for each of [2,1] samples, got i64[2] "
        "(logits f32[2,3,1])");
  CHECK(error_of([&] { return cross_entropy(of({2}), labels); }) ==
        "invalid_argument: cross_entropy: logits expects axes of samples and classes, got f32[2]");
  CHECK(error_of([&] { return cross_entropy(logits, labels, {.label_smoothing = 1.5f}); }) ==
        "invalid_argument: cross_entropy: label_smoothing must be in [0, 1], got 1.5");
  CHECK(error_of([&] { return cross_entropy(logits, labels, {.weight = of({2})}); }) ==
        "invalid_argument: cross_entropy: weight expects one value for each of 3 classes, got "
        "f32[2]");
  CHECK(error_of([&] { return cross_entropy(logits, logits, {.ignore_index = 1}); }) ==
        "invalid_argument: cross_entropy: ignore_index is for labels, got probabilities f32[2,3]; "
        "give samples to ignore probabilities of 0");
  CHECK(error_of([&] { return nll_loss(logits, labels, {.weight = of({3}, DType::f64)}); }) ==
        "invalid_argument: nll_loss: operands must have one type, got f32[2,3] and f64[3]; cast() "
        "one of them");
  CHECK(error_of([&] {
          return cross_entropy(of({2, 3}, DType::i32), labels);
        }) == "invalid_argument: cross_entropy: expects a floating type, got i32[2,3]; cast() it");
  CHECK(mse_loss(logits, logits).rank() == 0);
  CHECK(error_of([&] {
          return mse_loss(logits, of({2, 1}));
        }) ==
        "invalid_argument: mse_loss: input and target must have one shape, got f32[2,3] and "
        "f32[2,1]");
  CHECK(
      error_of([&] {
        return mse_loss(logits, of({2, 3}, DType::f64));
      }) ==
      "invalid_argument: mse_loss: operands must have one type, got f32[2,3] and f64[2,3]; cast() "
      "one of them");
}

TEST_CASE("losses of labels: weights take no gradient") {
  const Tensor weight = of({3}).set_requires_grad();
  CHECK(error_of([&] {
          return nll_loss(of({2, 3}), of({2}, DType::i64), {.weight = weight});
        }) == "invalid_argument: nll_loss: weight takes no gradient, got f32[3]; detach() it");
}

TEST_CASE("losses of pairs: parameters, weights and what takes no gradient") {
  const Tensor x = of({2, 3});
  CHECK(huber_loss(x, x, 0.5f).item() == 0);
  CHECK(error_of([&] { return huber_loss(x, x, 0); }) ==
        "invalid_argument: huber_loss: delta must be finite and above 0, got 0");
  CHECK(error_of([&] { return smooth_l1_loss(x, x, -1); }) ==
        "invalid_argument: smooth_l1_loss: beta must be finite and not negative, got -1");
  CHECK(error_of([&] { return l1_loss(x, of({3})); }) ==
        "invalid_argument: l1_loss: input and target must have one shape, got f32[2,3] and f32[3]");
  CHECK(bce_with_logits(x, x, {.pos_weight = of({3})}).rank() == 0);
  CHECK(error_of([&] { return bce_with_logits(x, x, {.weight = of({2})}); }) ==
        "invalid_argument: bce_with_logits: weight must broadcast to the input, got f32[2] and "
        "f32[2,3]");
  CHECK(error_of([&] {
          return bce_with_logits(x, of({2, 3}).set_requires_grad());
        }) ==
        "invalid_argument: bce_with_logits: target takes no gradient, got f32[2,3]; detach() it");
  CHECK(error_of([&] {
          return kl_div(x, of({2, 3}).set_requires_grad());
        }) == "invalid_argument: kl_div: target takes no gradient, got f32[2,3]; detach() it");
  CHECK(
      error_of([] { return kl_div(of({}), of({})); }) ==
      "invalid_argument: kl_div: batch_mean expects an axis of samples, got f32[]; choose another "
      "reduction");
}
