// Ranges, grids and the identity.
#include "backplane/sequences.hpp"

#include <doctest/doctest.h>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

using Values = std::vector<float>;

}  // namespace

TEST_CASE("arange: to an end that is left out, on the device and on the host") {
  for (const Device device : {reference(), Device::host()}) {
    CHECK(values_of(arange(4, {.device = device})) == Values{0, 1, 2, 3});
    CHECK(values_of(arange(1, 2, 0.25, {.device = device})) == Values{1, 1.25, 1.5, 1.75});
  }
  CHECK(values_of(arange(3, -1, -2, on_reference())) == Values{3, 1});
  CHECK(arange(0, on_reference()).shape() == Shape{0});
  CHECK(arange(250, 256, 2, on_reference(DType::u8)).to_vector<std::uint8_t>() ==
        std::vector<std::uint8_t>{250, 252, 254});
  CHECK(values_of(cast(arange(3, on_reference(DType::f16)), DType::f32)) == Values{0, 1, 2});
  CHECK(arange(2, {.device = reference(), .requires_grad = true}).is_leaf());
}

TEST_CASE("arange: what it refuses") {
  CHECK(error_of([] { return arange(0, 3, -1, on_reference()); }) ==
        "invalid_argument: arange: a step of -1 doesn't lead from 0 to 3; change its sign, or one "
        "of them");
  CHECK(error_of([] { return arange(0, 3, 0, on_reference()); }) ==
        "invalid_argument: arange: a step of 0 doesn't lead from 0 to 3; change its sign, or one "
        "of them");
  CHECK(error_of([] { return arange(250, 257, 1, on_reference(DType::u8)); }) ==
        "invalid_argument: arange: u8 hasn't the number 256; choose another type");
  CHECK(error_of([] { return arange(0, 2, 0.5, on_reference(DType::i32)); }) ==
        "invalid_argument: arange: i32 hasn't the number 0.5; choose another type");
}

TEST_CASE("linspace: both ends are met") {
  CHECK(values_of(linspace(0, 1, 5, on_reference())) == Values{0, 0.25f, 0.5f, 0.75f, 1});
  CHECK(linspace(0.1, 0.7, 7, on_reference(DType::f64)).to_vector<double>().back() == 0.7);
  CHECK(values_of(linspace(3, 9, 1, on_reference())) == Values{3});
  CHECK(linspace(3, 9, 0, on_reference()).count() == 0);
  CHECK(error_of([] { return linspace(0, 1, -1, on_reference()); }) ==
        "invalid_argument: linspace: the count can't be negative, got -1");
  CHECK(error_of([] { return linspace(0, 1, 3, on_reference(DType::i32)); }) ==
        "invalid_argument: linspace: makes floating types, not i32; cast the result");
}

TEST_CASE("eye: square or not") {
  CHECK(values_of(eye(2, -1, on_reference())) == Values{1, 0, 0, 1});
  CHECK(values_of(eye(2, 3, on_reference())) == Values{1, 0, 0, 0, 1, 0});
  CHECK(eye(0, -1, on_reference()).shape() == Shape{0, 0});
  CHECK(eye(2, 0, on_reference()).count() == 0);
  CHECK(error_of([] { return eye(-2, 3, on_reference()); }) ==
        "invalid_argument: eye: sizes can't be negative, got -2 rows and 3 columns");
}
