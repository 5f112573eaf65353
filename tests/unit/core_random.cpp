// Random numbers: the same for every way to cut a batch, and on every device.
#include "backplane/random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

using Values = std::vector<float>;

Values part(const Values& values, std::size_t begin, std::size_t end) {
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

TEST_CASE("random: the seed decides, and each call is a site of its own") {
  manual_seed(5);
  const Values first = values_of(uniform({100}, 0, 1, on_reference()));
  const Values second = values_of(uniform({100}, 0, 1, on_reference()));
  CHECK(first != second);
  manual_seed(5);
  CHECK(values_of(uniform({100}, 0, 1, on_reference())) == first);
  CHECK(values_of(uniform({100}, 0, 1, on_reference())) == second);
  manual_seed(6);
  CHECK(values_of(uniform({100}, 0, 1, on_reference())) != first);
}

TEST_CASE("random: the state can be kept and put back") {
  manual_seed(7);
  begin_step(3, 10);
  static_cast<void>(uniform({1}, 0, 1, on_reference()));
  const GeneratorState state = generator_state();
  CHECK(state.seed == 7);
  CHECK(state.site == 1);
  CHECK(state.first_sample == 10);
  const Values after = values_of(normal({9}, 0, 1, on_reference()));
  manual_seed(0);
  set_generator_state(state);
  CHECK(values_of(normal({9}, 0, 1, on_reference())) == after);
}

TEST_CASE("random: micro-batches of a step draw what the whole batch draws") {
  for (const bool channels : {false, true}) {
    const auto drop = [&](std::uint32_t step, std::uint32_t first, std::int64_t samples) {
      begin_step(step, first);
      const Tensor x = ones({samples, 3, 2, 2}, on_reference());
      return values_of(channels ? dropout2d(x, 0.5f) : dropout(x, 0.5f));
    };
    manual_seed(1);
    const Values whole = drop(4, 0, 8);
    CHECK(drop(4, 0, 3) == part(whole, 0, 36));
    CHECK(drop(4, 3, 5) == part(whole, 36, 96));
    CHECK(drop(5, 0, 8) != whole);
  }
}

TEST_CASE("random: ranges and moments") {
  manual_seed(2);
  const Values flat = values_of(uniform({20000}, -2, 3, on_reference()));
  double sum = 0;
  for (const float value : flat) {
    CHECK_UNARY(value >= -2 && value < 3);
    sum += value;
  }
  CHECK(sum / 20000 == doctest::Approx(0.5).epsilon(0.05));
  const Values bell = values_of(normal({20000}, 1, 2, on_reference()));
  double mean = 0, square = 0;
  for (const float value : bell) mean += value / 20000;
  for (const float value : bell) square += (value - mean) * (value - mean) / 20000;
  CHECK(mean == doctest::Approx(1).epsilon(0.05));
  CHECK(std::sqrt(square) == doctest::Approx(2).epsilon(0.03));
}

TEST_CASE("random: the same bits on every device") {
  const auto draw = [](Device device) {
    manual_seed(11);
    const TensorOptions there{.device = device};
    const Tensor x = counting({4, 5, 3, 3}, device);
    return std::array{values_of(uniform({1001}, -1, 1, there)), values_of(dropout(x, 0.3f)),
                      values_of(dropout2d(x, 0.3f)), values_of(normal({1001}, 0, 1, there))};
  };
  const auto expected = draw(reference());
  for (const Device device : devices()) {
    const auto got = draw(device);
    INFO(device.name());
    for (std::size_t i = 0; i < 3; ++i) CHECK(got[i] == expected[i]);
    for (std::size_t i = 0; i < 1001; ++i) {  // within one unit in the last place
      CHECK(std::abs(got[3][i] - expected[3][i]) <= 2.4e-7f * std::abs(expected[3][i]));
    }
  }
}

TEST_CASE("random: what it refuses") {
  CHECK(error_of([] { return uniform({2}, 1, 0, on_reference()); }) ==
        "invalid_argument: uniform: expects low <= high, got [1, 0)");
  CHECK(error_of([] { return uniform({2}, 0, 1, on_reference(DType::i32)); }) ==
        "invalid_argument: uniform: makes floating types, not i32; cast the result");
  CHECK(error_of([] { return normal({2}, 0, -1, on_reference()); }) ==
        "invalid_argument: normal: expects a deviation >= 0, got -1");
  CHECK(error_of([] { return normal({2}, 0, NAN, on_reference()); }) ==
        "invalid_argument: normal: expects a deviation >= 0, got nan");
  CHECK(error_of([] { return normal({2}, 0, 1, on_reference(DType::u8)); }) ==
        "invalid_argument: normal: makes floating types, not u8; cast the result");
  CHECK(error_of([] { return uniform({2}, 0, 1, {.device = Device::host()}); }) ==
        "invalid_argument: uniform: the host holds tensors but computes nothing; move them with "
        "to(device)");
}
