// Convolutions beyond what conformance asks: batches in pieces, and the choice of who computes
// them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "backplane/backplane.hpp"
#include "backplane/plan.hpp"
#include "sim.h"

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

using Floats = std::vector<float>;

Device card() {
  return device("cuda:0");
}

struct Pass {
  Floats y, dx, dweight, dbias;
  std::uint64_t launches;
};

// Five images forward and back, on a card that has no plans yet.
Pass run_on(const char* name, const char* option = nullptr, const char* value = nullptr) {
  shutdown();
  const Device where = device(name);
  if (option != nullptr) where.set_option(option, value);
  manual_seed(3);
  const TensorOptions reference{.device = device("reference:0")};
  const Tensor input = uniform({5, 2, 6, 6}, -1, 1, reference).cpu();
  const Tensor weights = uniform({4, 1, 3, 3}, -1, 1, reference).cpu();
  const Tensor upper = uniform({5, 4, 6, 6}, -1, 1, reference).cpu();
  Tensor x = input.to(where).set_requires_grad(), weight = weights.to(where).set_requires_grad();
  Tensor bias = tensor(Floats{1, 2, 3, 4}, {4}, {.device = where}).set_requires_grad();
  const std::uint64_t before = sim::statistics()->launches;
  const Tensor y = conv2d(x, weight, bias, {.padding = 1, .groups = 2});
  backward(y, upper.to(where));
  const std::uint64_t launches = sim::statistics()->launches - before;
  return {y.to_vector<float>(), x.grad().to_vector<float>(), weight.grad().to_vector<float>(),
          bias.grad().to_vector<float>(), launches};
}

void check_close(const Floats& found, const Floats& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
}

}  // namespace

TEST_CASE("convolution: a batch in pieces computes what one piece does") {
  const Pass whole = run_on("cuda:0");
  // 2,592 bytes of columns for each image, 2,736 with the gradient of the weight: pieces of 2,
  // 2, 1.
  const Pass pieces = run_on("cuda:0", "convolution_scratch_bytes", "6000");
  CHECK(pieces.launches > whole.launches + 10);
  CHECK(pieces.y == whole.y);
  CHECK(pieces.dx == whole.dx);
  CHECK(pieces.dbias == whole.dbias);
  check_close(pieces.dweight,
              whole.dweight);  // the images' gradients are added up in another order
  // Less than one image needs is one image at a time.
  const Pass single = run_on("cuda:0", "convolution_scratch_bytes", "1");
  CHECK(single.launches > pieces.launches);
  CHECK(single.y == whole.y);
  CHECK(single.dx == whole.dx);
  check_close(single.dweight, whole.dweight);
  check_close(single.dweight, run_on("reference:0").dweight);
}

TEST_CASE("convolution: settings that make no sense are refused") {
  const auto refuses = [](const char* key, const char* value, const char* text) {
    CHECK_THROWS_WITH_AS(card().set_option(key, value), doctest::Contains(text), Error);
  };
  refuses("convolution_scratch_bytes", "many",
          "must be a whole number of bytes above 0, got 'many'");
  refuses("convolution_scratch_bytes", "0", "got '0'");
  refuses("convolution_scratch_bytes", "12 ", "got '12 '");
  refuses("convolution", "winograd", "must be im2col or cudnn, got 'winograd'");
  refuses("colour", "blue", "no option 'colour'");
}

TEST_CASE("convolution: cudnn computes what the reference does, and says that it did") {
  const Pass found = run_on("cuda:0", "convolution", "cudnn"), expected = run_on("reference:0");
  check_close(found.y, expected.y);
  check_close(found.dx, expected.dx);
  check_close(found.dweight, expected.dweight);
  check_close(found.dbias, expected.dbias);

  const auto implementation = [](std::array<std::int32_t, 4> padding, std::int64_t columns) {
    op::Conv2d conv{};
    std::fill_n(conv.stride, 2, 1);
    std::fill_n(conv.dilation, 2, 1);
    std::copy(padding.begin(), padding.end(), conv.padding);
    conv.groups = 1;
    const std::vector<TensorSpec> inputs{{DType::f32, {1, 2, 5, 5}}, {DType::f32, {4, 2, 3, 3}}};
    const std::vector<TensorSpec> outputs{{DType::f32, {1, 4, 3, columns}}};
    return Plan(card(), Operation(conv), inputs, outputs).implementation();
  };
  card().set_option("convolution", "cudnn");
  CHECK(implementation({0, 0, 0, 0}, 3) == "cuDNN");
  CHECK(implementation({0, 1, 0, 0}, 4) ==
        "im2col, cuBLAS");  // it knows padding on both sides only
  card().set_option("convolution", "im2col");
  CHECK(implementation({0, 0, 0, 0}, 3) == "im2col, cuBLAS");
}

TEST_CASE("convolution: cudnn takes no memory from the card after the setting") {
  card().set_option("convolution", "cudnn");
  const auto step = [] {
    Tensor x = full({2, 1, 8, 8}, 0.5, {.device = card()}).set_requires_grad();
    Tensor weight = full({3, 1, 3, 3}, 0.25, {.device = card()}).set_requires_grad();
    sum(conv2d(x, weight, {}, {})).backward();
    return weight.grad().to_vector<float>();
  };
  for (int i = 0; i < 4; ++i) (void)step();  // fills the cache, and the four pieces of the staging
  const Floats first = step();
  const auto before = sim::statistics();
  CHECK(step() == first);
  CHECK(sim::statistics()->allocation_attempts == before->allocation_attempts);
}
