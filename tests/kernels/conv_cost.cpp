// The choice between the ways to compute a convolution: what can't be must not be chosen, and what
// clearly pays must be.
#include "cpu/conv_cost.h"

#include <doctest/doctest.h>

#include <cmath>

namespace kernels_test {
namespace {

using namespace backplane::cpu;  // NOLINT: what is under test

constexpr ConvShape images(std::int64_t channels, std::int64_t side, std::int64_t outputs,
                           std::int64_t padding) {
  return {.images = 64,
          .channels = channels,
          .height = side,
          .width = side,
          .outputs = outputs,
          .padding = {padding, padding, padding, padding}};
}

ConvAlgorithm choice(const ConvQuestion& question) {
  return conv_costs(question).best();
}

}  // namespace

TEST_CASE("conv_costs: tiles that divide the output are chosen") {
  for (const std::int64_t lanes : {8, 16}) {
    CHECK(choice({images(32, 26, 64, 0), lanes}) == ConvAlgorithm::winograd_6);
    CHECK(choice({images(64, 32, 64, 1), lanes}) == ConvAlgorithm::winograd_4);
    CHECK(choice({images(256, 8, 256, 1), lanes}) == ConvAlgorithm::winograd_4);
  }
}

TEST_CASE("conv_costs: what the kernels can't compute costs infinitely much") {
  const auto winograd = [](const ConvQuestion& question) {
    const ConvCosts costs = conv_costs(question);
    return std::isfinite(costs.of(ConvAlgorithm::winograd_4)) ||
           std::isfinite(costs.of(ConvAlgorithm::winograd_6));
  };
  ConvQuestion question{images(32, 26, 64, 0), 16};
  CHECK(winograd(question));
  question.strict = true;
  CHECK_FALSE(winograd(question));
  for (int change = 0; change < 4; ++change) {
    ConvQuestion other{images(32, 26, 64, 0), 16};
    if (change == 0) other.shape.kernel[1] = 5;
    if (change == 1) other.shape.stride[0] = 2;
    if (change == 2) other.shape.dilation[0] = 2;
    if (change == 3) other.shape.groups = 2;
    CHECK_FALSE(winograd(other));
  }
  const ConvCosts pooled = conv_costs({.shape = images(32, 26, 64, 0), .lanes = 16, .pool = 3});
  CHECK(std::isinf(pooled.of(ConvAlgorithm::winograd_4)));
  CHECK(pooled.best() == ConvAlgorithm::winograd_6);
}

TEST_CASE("conv_costs: a packed weight is cheaper, one image alone has less to gain") {
  ConvQuestion question{images(512, 4, 512, 1), 16};
  question.shape.images = 1;
  CHECK(choice(question) != ConvAlgorithm::winograd_6);
  const double fresh = conv_costs(question).of(ConvAlgorithm::winograd_4);
  question.prepared = true;
  CHECK(conv_costs(question).of(ConvAlgorithm::winograd_4) < fresh);
}

TEST_CASE("conv_costs: the explanation names every candidate and marks one") {
  const std::string text = explain(conv_costs({images(32, 26, 64, 0), 16, true}));
  CHECK(text.find("winograd F(6x6, 3x3)             no\n") != std::string::npos);
  CHECK(text.find("library") != std::string::npos);
  CHECK(text.find("chosen") == text.rfind("chosen"));
  CHECK(text.find("chosen") != std::string::npos);
}

}  // namespace kernels_test
