// The exact roundings behind the device arithmetic, against the processor's own rounding modes.
#include "device/rounding.h"

#include <doctest/doctest.h>

#include <cfenv>

#include "checks/support.h"
#include "device/convert.h"

using namespace backplane::sim::device;
using backplane::sim::checks::Random;

namespace {

const std::pair<Rounding, int> kModes[] = {{Rounding::nearest, FE_TONEAREST},
                                           {Rounding::zero, FE_TOWARDZERO},
                                           {Rounding::down, FE_DOWNWARD},
                                           {Rounding::up, FE_UPWARD}};

// Evaluated by the processor in its own rounding mode; volatile keeps the compiler from doing it.
template <class Operation>
float in_processor_mode(int mode, Operation operation) {
  std::fesetround(mode);
  volatile float result = operation();
  std::fesetround(FE_TONEAREST);
  return result;
}

float any_float(Random& random) {
  const auto exponent = static_cast<int>(random.word() % 60) - 30;
  return std::ldexp(random.real(-1, 1), exponent);
}

}  // namespace

TEST_CASE("sums, products and fused products of floats in every direction") {
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    volatile float a = any_float(random), b = any_float(random), c = any_float(random);
    for (const auto& [rounding, mode] : kModes) {
      CHECK_EQ(add<f32>(a, b, rounding), in_processor_mode(mode, [&] { return a + b; }));
      CHECK_EQ(multiply<f32>(a, b, rounding), in_processor_mode(mode, [&] { return a * b; }));
      CHECK_EQ(divide<f32>(a, b, rounding), in_processor_mode(mode, [&] { return a / b; }));
      CHECK_EQ(multiply_add<f32>(a, b, c, rounding),
               in_processor_mode(mode, [&] { return std::fmaf(a, b, c); }));
    }
  }
}

TEST_CASE("the cases that rounding twice gets wrong") {
  // 1 + 2^-24 lies in the middle of two floats; a speck more or less must decide, although it does
  // not fit a double beside the one.
  const float one = 1;
  const float tiny = std::ldexp(1.0f, -100);
  const float half_unit = std::ldexp(1.0f, -12);
  CHECK_EQ(multiply_add<f32>(half_unit, half_unit, one), one);  // ties to even
  CHECK_EQ(narrow<f32>(add_to_odd(1 + std::ldexp(1.0, -24), tiny), Rounding::nearest),
           std::nextafter(one, 2.0f));
  CHECK_EQ(narrow<f32>(add_to_odd(1 + std::ldexp(1.0, -24), -tiny), Rounding::nearest), one);
  CHECK_EQ(narrow<f32>(add_to_odd(1, -tiny), Rounding::zero), std::nextafter(one, 0.0f));
  // The same for bfloat16, whose sums reach far: 1 + 2^-8 is a tie between 1 and 1 + 2^-7.
  const auto bits = [](float value) { return narrow<bf16>(value, Rounding::nearest); };
  const bf16 sum =
      multiply_add<bf16>(bits(std::ldexp(1.0f, -4)), bits(std::ldexp(1.0f, -4)), bits(1));
  CHECK_EQ(widen(sum), 1.0f);
  CHECK_EQ(narrow<bf16>(add_to_odd(1 + std::ldexp(1.0, -8), tiny), Rounding::nearest).bits, 0x3F81);
}

TEST_CASE("half precision: every value survives, neighbours round to the nearer one") {
  for (uint32_t i = 0; i < 0x7C00; ++i) {
    const f16 value{static_cast<u16>(i)};
    const double exact = widen(value);
    CHECK_EQ(to_short_format(exact, kHalfFormat, Rounding::nearest), i);
    CHECK_EQ(narrow<f16>(exact, Rounding::nearest).bits, i);
    if (i + 1 == 0x7C00) break;
    const double next = widen(f16{static_cast<u16>(i + 1)});
    const double middle = (exact + next) / 2;
    CHECK_EQ(to_short_format(middle, kHalfFormat, Rounding::nearest), i + (i & 1));
    CHECK_EQ(to_short_format(middle, kHalfFormat, Rounding::down), i);
    CHECK_EQ(to_short_format(middle, kHalfFormat, Rounding::up), i + 1);
    CHECK_EQ(to_short_format(-middle, kHalfFormat, Rounding::zero), i | 0x8000);
    CHECK_EQ(to_short_format(-middle, kHalfFormat, Rounding::down), (i + 1) | 0x8000);
    CHECK_EQ(to_short_format(middle, kHalfFormat, Rounding::nearest_away), i + 1);
  }
}

TEST_CASE("overflow goes to infinity or stops before it") {
  CHECK_EQ(to_short_format(1e6, kHalfFormat, Rounding::nearest), 0x7C00);
  CHECK_EQ(to_short_format(1e6, kHalfFormat, Rounding::zero), 0x7BFF);
  CHECK_EQ(to_short_format(-1e6, kHalfFormat, Rounding::up), 0xFBFF);
  CHECK_EQ(to_short_format(65519, kHalfFormat, Rounding::nearest), 0x7BFF);
  CHECK_EQ(to_short_format(65520, kHalfFormat, Rounding::nearest), 0x7C00);
  CHECK_EQ(narrow<bf16>(3.4e38, Rounding::nearest).bits, 0x7F80);
  CHECK_EQ(to_float(1e300, Rounding::zero), std::numeric_limits<float>::max());
  CHECK_EQ(narrow<f16>(std::nan(""), Rounding::nearest).bits, 0x7FFF);
}

TEST_CASE("integers of 64 bits to float and double in every direction") {
  Random random(12);
  for (int i = 0; i < 2000; ++i) {
    const uint64_t word = static_cast<uint64_t>(random.word()) << 32 | random.word();
    volatile auto number = static_cast<int64_t>(word) >> (random.word() % 60);
    for (const auto& [rounding, mode] : kModes) {
      std::fesetround(mode);
      volatile const float as_float = static_cast<float>(number);
      volatile const double as_double = static_cast<double>(number);
      std::fesetround(FE_TONEAREST);
      CHECK_EQ(convert<f32>(s64{number}, ConvertOptions{.rounding = rounding}), as_float);
      CHECK_EQ(convert<f64>(s64{number}, ConvertOptions{.rounding = rounding}), as_double);
    }
  }
}

TEST_CASE("minimum, maximum and comparisons know NaN and signed zero") {
  const f32 nan = std::nanf("");
  CHECK_EQ(smaller(nan, 1.0f), 1.0f);
  CHECK_EQ(larger(1.0f, nan), 1.0f);
  CHECK(std::isnan(smaller(nan, 1.0f, true)));
  CHECK(std::isnan(larger(1.0f, nan, true)));
  CHECK(std::signbit(smaller(0.0f, -0.0f)));
  CHECK_FALSE(std::signbit(larger(0.0f, -0.0f)));
  CHECK_FALSE(compare(nan, 1.0f, Compare::ne));
  CHECK(compare(nan, 1.0f, Compare::neu));
  CHECK_EQ(saturate(nan), 0.0f);
  CHECK_EQ(flush(1e-40f), 0.0f);
  CHECK_EQ(to_tf32(1.0f + std::ldexp(1.0f, -11)), 1.0f + std::ldexp(1.0f, -10));
}
