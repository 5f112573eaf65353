// Elementwise and integer kernels against host loops.
#include <algorithm>
#include <bit>
#include <functional>

#include "checks/support.h"
#include "kernels/kernels.h"

using namespace backplane::sim;
using namespace backplane::sim::checks;
using kernels::Function;

TEST_CASE("relu and bias with 64-bit grid strides") {
  const auto x = reals(1000, -1, 1);
  const auto bias = reals(10, -1, 1, 2);
  const DeviceArray<float> dx(x), db(bias), dy(1000);
  kernels::relu(dx, dy, 1000, nullptr);
  std::vector<float> wanted(1000);
  for (int i = 0; i < 1000; ++i) wanted[i] = std::max(x[i], 0.0f);
  CHECK_EQ(dy.download(), wanted);
  kernels::bias_relu(dx, db, dy, 100, 10, nullptr);
  for (int i = 0; i < 1000; ++i) wanted[i] = std::max(x[i] + bias[i % 10], 0.0f);
  CHECK_EQ(dy.download(), wanted);
}

TEST_CASE("a large argument by value, with vectors of four") {
  const auto x = reals(4 * 300, -1, 1);
  auto y = reals(4 * 300, -1, 1, 2);
  const DeviceArray<float> dx(x), dy(y);
  kernels::AxpyArguments arguments{};
  for (int i = 0; i < 40; ++i) arguments.weights[i] = static_cast<float>(i);
  arguments.x = reinterpret_cast<const float4*>(dx.get());
  arguments.y = reinterpret_cast<float4*>(dy.get());
  arguments.n = 300;
  arguments.a = 0.5f;
  kernels::axpy(arguments, nullptr);
  for (int i = 0; i < 1200; ++i) {
    const float weight = i % 4 == 0 ? static_cast<float>(i / 4 % 40) : 1.0f;
    y[i] = std::fma(0.5f * x[i], weight, y[i]);
  }
  CHECK_LT(distance(dy.download(), y), 1e-6);
}

namespace {

struct FunctionCase {
  Function function;
  std::function<double(double)> exact;
  float low, high;
};

const FunctionCase kFunctions[] = {
    {Function::exp, [](double x) { return std::exp(x); }, -5, 5},
    {Function::log, [](double x) { return std::log(x); }, 0.01f, 50},
    {Function::tanh, [](double x) { return std::tanh(x); }, -4, 4},
    {Function::erf, [](double x) { return std::erf(x); }, -4, 4},
    {Function::pow, [](double x) { return std::pow(x, 2.5); }, 0, 20},
    {Function::sin, [](double x) { return std::sin(x); }, -400000, 400000},
    {Function::cos, [](double x) { return std::cos(x); }, -30, 30},
    {Function::sqrt, [](double x) { return std::sqrt(x); }, 0, 100},
    {Function::rsqrt, [](double x) { return 1 / std::sqrt(x); }, 0.01f, 100},
    {Function::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -10, 10},
    {Function::cbrt, [](double x) { return std::cbrt(x); }, -100, 100},
    {Function::log1p, [](double x) { return std::log1p(x); }, -0.9f, 10},
    {Function::floor,
     [](double x) { return std::floor(x) + std::ceil(x) + std::nearbyint(x) + std::trunc(x); }, -9,
     9},
};

}  // namespace

TEST_CASE("mathematical functions, float and double, with their special values") {
  for (const FunctionCase& each : kFunctions) {
    auto x = reals(500, each.low, each.high);
    const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f};
    // A sine of a huge number needs the long reduction; its value is checked like the others.
    std::copy(std::begin(special), std::end(special), x.begin());
    const DeviceArray<float> dx(x), dy(500);
    std::vector<double> wanted(500), wide(x.begin(), x.end());
    std::transform(wide.begin(), wide.end(), wanted.begin(), each.exact);
    kernels::apply(each.function, dx, dy, 500, nullptr);
    INFO("function " << static_cast<int>(each.function));
    CHECK_LT(distance(dy.download(), std::vector<float>(wanted.begin(), wanted.end())), 2e-6);
    const DeviceArray<double> wide_x(wide), wide_y(500);
    kernels::apply_double(each.function, wide_x, wide_y, 500, nullptr);
    CHECK_LT(distance(wide_y.download(), wanted), 1e-14);
  }
}

TEST_CASE("intrinsics of fast mathematics, and a directed rounding") {
  const auto x = reals(400, 0.1f, 3);
  const DeviceArray<float> dx(x), dy(400);
  kernels::fast_math(dx, dy, 400, nullptr);
  std::vector<double> wanted;
  for (float v : x) {
    wanted.push_back(std::exp(v) + v / 3.0 + std::sin(v) + std::min(v, 1.0f) + 1.0 / v +
                     std::sqrt(v) + v * v + 1.0);
  }
  CHECK_LT(distance(dy.download(), wanted), 1e-6);
}

namespace {

// As the card converts: NaN to zero, the rest clamped; float to float by rounding.
template <class To, class From>
To converted(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(x)) return 0;
    const double value = std::trunc(static_cast<double>(x));
    if (value <= static_cast<double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (value >= static_cast<double>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  }
  return static_cast<To>(x);
}

template <class From, class To>
void check_cast(const std::vector<From>& x) {
  const DeviceArray<From> dx(x);
  const DeviceArray<To> dy(x.size());
  kernels::cast(dx.get(), dy.get(), static_cast<int>(x.size()), nullptr);
  std::vector<To> wanted;
  for (From value : x) wanted.push_back(converted<To>(value));
  CHECK_EQ(dy.download(), wanted);
}

}  // namespace

TEST_CASE("casts, clamped where the target is too small") {
  std::vector<float> reals_in{0,     -0.5f, 1.5f,  -1.5f, 2147483648.0f,
                              -3e9f, NAN,   1e20f, 255,   16777216};
  check_cast<float, int>(reals_in);
  check_cast<float, double>({0, -1.5f, 1e-40f, 3e38f});
  check_cast<float, uint64_t>(reals_in);
  check_cast<int, float>({0, -1, 16777217, 16777219, std::numeric_limits<int>::min()});
  check_cast<double, float>({0.1, -0.1, 1e300, 1e-310, 16777217.0, 3.4028235677973366e38});
  check_cast<int64_t, double>({0, -1, (1ll << 53) + 1, std::numeric_limits<int64_t>::max()});
  check_cast<double, int64_t>({0.9, -0.9, 1e30, -1e30, 4503599627370497.0});
  check_cast<int8_t, int>({0, -1, 127, -128});
  check_cast<uint64_t, float>(
      {0, 1, (1ull << 40) + 1, ~0ull, (1ull << 24) + 1, 0x8000008000000001ull});
  check_cast<float, uint8_t>({0, 1.9f, 254.5f, 100});
}

template <class T>
static void check_clamp(const std::vector<T>& x, T low, T high) {
  const DeviceArray<T> dx(x), dy(x.size());
  kernels::clamp(dx.get(), dy.get(), low, high, static_cast<int>(x.size()), nullptr);
  std::vector<T> wanted;
  for (T value : x) wanted.push_back(std::min(std::max(value, low), high));
  CHECK_EQ(dy.download(), wanted);
}

TEST_CASE("minimum and maximum of all kinds of numbers") {
  check_clamp<float>({-1, 0, 0.5f, 2, INFINITY, -INFINITY}, 0, 1);
  check_clamp<int>({-100, 0, 5, 100}, -3, 7);
  check_clamp<double>({-1, 0.25, 9}, 0.1, 0.3);
  check_clamp<int64_t>({-(1ll << 40), 0, 1ll << 40}, -5, 1ll << 33);
}

TEST_CASE("a NaN does not vanish in an unordered comparison") {
  const std::vector<float> a{1, NAN, 3, -1, 0}, b{2, 1, NAN, -2, 0};
  const DeviceArray<float> da(a), db(b), dy(5);
  kernels::nan_aware_maximum(da, db, dy, 5, nullptr);
  const auto y = dy.download();
  CHECK_EQ(y[0], 2);
  CHECK(std::isnan(y[1]));
  CHECK_EQ(y[2], 3);  // !(3 <= NaN)
  CHECK_EQ(y[3], -1);
  CHECK_EQ(y[4], 0);
}

namespace {

uint32_t permuted(uint32_t a, uint32_t b, uint32_t selectors) {
  const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    result |= static_cast<uint32_t>(bytes >> (8 * (selectors >> (4 * i) & 7)) & 255) << (8 * i);
  }
  return result;
}

uint32_t reversed(uint32_t a) {
  uint32_t result = 0;
  for (int i = 0; i < 32; ++i) result |= (a >> i & 1) << (31 - i);
  return result;
}

uint32_t dot(uint32_t a, uint32_t b) {
  int sum = 3;
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<int8_t>(a >> (8 * i)) * static_cast<int8_t>(b >> (8 * i));
  }
  return static_cast<uint32_t>(sum);
}

std::vector<uint32_t> mixed(uint32_t a, uint32_t b, int i) {
  const auto s = static_cast<int32_t>(a);
  const auto t = static_cast<int32_t>(b);
  const uint64_t pair = static_cast<uint64_t>(b) << 32 | a;
  const int shift = i & 31;
  const auto u = [](auto value) { return static_cast<uint32_t>(value); };
  return {u(std::popcount(a)),
          u(std::countl_zero(a)),
          reversed(a),
          a == 0 ? 0 : u(std::countr_zero(a) + 1),
          u(static_cast<uint64_t>(a) * b >> 32),
          u(static_cast<int64_t>(s) * t >> 32),
          u(pair << shift >> 32),
          u(pair >> shift),
          permuted(a, b, 0x7351),
          a / (b | 1),
          a % (b | 1),
          u(int64_t{s} / (t | 1)),
          u(int64_t{s} % (t | 1)),
          u(s < 0 ? -int64_t{s} : s),
          u(std::min(s, t)),
          std::max(a, b),
          u(s >> (b & 31)),
          (a & b) | (~a & reversed(a)),
          std::rotl(a, 7),
          a >> 5 & 0x7F,
          (a > b ? a - b : b - a) + 7,
          dot(a, b)};
}

}  // namespace

TEST_CASE("bit tricks and wide products of 32 bits") {
  Random random(3);
  std::vector<uint32_t> a{0, 1, ~0u, 0x80000000u, 7}, b{0, ~0u, 1, ~0u - 1, 3};
  while (a.size() < 200) {
    a.push_back(random.word());
    b.push_back(random.word());
  }
  const DeviceArray<uint32_t> da(a), db(b), dy(200 * kernels::kIntegerResults);
  kernels::integer_mix(da, db, dy, 200, nullptr);
  const auto y = dy.download();
  for (int i = 0; i < 200; ++i) {
    const auto wanted = mixed(a[i], b[i], i);
    REQUIRE_EQ(wanted.size(), kernels::kIntegerResults);
    for (int j = 0; j < kernels::kIntegerResults; ++j) {
      INFO("a " << a[i] << " b " << b[i] << " result " << j);
      CHECK_EQ(y[i * kernels::kIntegerResults + j], wanted[j]);
    }
  }
}

TEST_CASE("integers of 64 bits") {
  Random random(4);
  std::vector<int64_t> a, b;
  for (int i = 0; i < 100; ++i) {
    a.push_back(static_cast<int64_t>(static_cast<uint64_t>(random.word()) << 32 | random.word()));
    b.push_back(
        static_cast<int64_t>(static_cast<uint64_t>(random.word()) << (i % 33) | random.word()));
  }
  const DeviceArray<int64_t> da(a), db(b), dy(800);
  kernels::long_mix(da, db, dy, 100, nullptr);
  const auto y = dy.download();
  __extension__ using Wide = __int128;
  __extension__ using UnsignedWide = unsigned __int128;
  for (int i = 0; i < 100; ++i) {
    const auto ua = static_cast<uint64_t>(a[i]);
    const auto ub = static_cast<uint64_t>(b[i]);
    const int shift = static_cast<int>(b[i] & 63);
    uint64_t mirrored = 0;
    for (int bit = 0; bit < 64; ++bit) mirrored |= (ua >> bit & 1) << (63 - bit);
    const int64_t wanted[8] = {static_cast<int64_t>(ua * ub),
                               static_cast<int64_t>(static_cast<Wide>(a[i]) * b[i] >> 64),
                               a[i] / (b[i] | 1),
                               a[i] % (b[i] | 1),
                               std::popcount(ua) + 100 * std::countl_zero(ua),
                               static_cast<int64_t>(static_cast<UnsignedWide>(ua) * ub >> 64),
                               (a[i] >> shift) ^ static_cast<int64_t>(ua << shift),
                               static_cast<int64_t>(mirrored)};
    for (int j = 0; j < 8; ++j) CHECK_EQ(y[8 * i + j], wanted[j]);
  }
}

TEST_CASE("bytes and short integers side by side") {
  std::vector<uint8_t> x(301);
  for (int i = 0; i < 301; ++i) x[i] = static_cast<uint8_t>(i * 7);
  const DeviceArray<uint8_t> dx(x), mask(301);
  const DeviceArray<int16_t> wide(301);
  kernels::byte_mask(dx, mask, wide, 301, nullptr);
  const auto got_mask = mask.download();
  const auto got_wide = wide.download();
  for (int i = 0; i < 301; ++i) {
    CHECK_EQ(got_mask[i], x[i] > 100 ? 1 : 0);
    CHECK_EQ(got_wide[i], static_cast<int8_t>(x[i]) * 3);
  }
}

TEST_CASE("roundings to integers") {
  const std::vector<float> x{0.5f, 1.5f, -0.5f, -1.5f, 2.4f, -2.6f, 0, 1e10f, -1e10f, NAN};
  const DeviceArray<float> dx(x);
  const DeviceArray<int> dy(50);
  kernels::rounded(dx, dy, 10, nullptr);
  const auto y = dy.download();
  for (int i = 0; i < 7; ++i) {
    CHECK_EQ(y[5 * i], static_cast<int>(std::nearbyint(x[i])));
    CHECK_EQ(y[5 * i + 1], static_cast<int>(std::trunc(x[i])));
    CHECK_EQ(y[5 * i + 2], static_cast<int>(std::floor(x[i])));
    CHECK_EQ(y[5 * i + 3], static_cast<int>(std::ceil(x[i])));
    CHECK_EQ(y[5 * i + 4], static_cast<int>(std::round(x[i])));
  }
  CHECK_EQ(y[35], std::numeric_limits<int>::max());
  CHECK_EQ(y[40], std::numeric_limits<int>::min());
  CHECK_EQ(y[45], 0);
}
