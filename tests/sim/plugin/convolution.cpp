// Convolutions beyond what conformance asks: batches in pieces, and the choice of who computes
// them.
#include <doctest/doctest.h>

#include "backplane/backplane.hpp"
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
  refuses("colour", "blue", "no option 'colour'");
}
