// The judge is judged: what the oracle and the audit must notice, and what they must let pass.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "backplane/functional.hpp"
#include "backplane/observe/agreement.hpp"
#include "backplane/observe/oracle.hpp"
#include "backplane/random.hpp"

namespace {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

const TensorOptions on_host{.device = Device::host()};

Tensor host(const std::vector<float>& values, const Shape& shape) {
  return tensor(values, shape, on_host);
}

Judgement judge_values(const std::vector<float>& values, const std::vector<float>& expected,
                       double bound, bool exact = false) {
  const Shape shape{static_cast<std::int64_t>(expected.size())};
  const Expectation expectation{{host(expected, shape)},
                                {std::vector<double>(expected.size(), bound)}};
  const Tensor output = host(values, shape);
  return judge(expectation, {&output, 1}, exact);
}

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() >> 8) * 0x1p-23f - 1;
  return values;
}

// TF32 keeps ten bits of the mantissa.
float as_tf32(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x1000u) & ~0x1FFFu;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

// One row times one column, summed in float.
template <class Round>
float dot(const std::vector<float>& a, const std::vector<float>& b, Round round) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += round(a[i]) * round(b[i]);
  return sum;
}

}  // namespace

TEST_CASE("judge: special values match only themselves") {
  CHECK(judge_values({NAN, INFINITY, 1}, {NAN, INFINITY, 1}, 0.1).agrees);
  CHECK_FALSE(judge_values({NAN}, {1}, 1e30).agrees);
  CHECK_FALSE(judge_values({1}, {NAN}, 1e30).agrees);
  CHECK_FALSE(judge_values({INFINITY}, {3e38f}, 1e39).agrees);
  CHECK_FALSE(judge_values({-INFINITY}, {INFINITY}, 1e39).agrees);
  CHECK(std::isinf(judge_values({NAN}, {1}, 1).worst_error_over_bound));
}

TEST_CASE("judge: a bound of 0 demands bits, exact demands values") {
  CHECK_FALSE(judge_values({-0.0f}, {0.0f}, 0).agrees);
  CHECK(judge_values({-0.0f}, {0.0f}, 0.5, true).agrees);
  CHECK(judge_values({1.25f}, {1}, 0.5).agrees);
  CHECK_FALSE(judge_values({1.25f}, {1}, 0.5, true).agrees);
  const Judgement one_off = judge_values({1, 2, 3.5f, 4}, {1, 2, 3, 4}, 0.125);
  CHECK_FALSE(one_off.agrees);
  CHECK(one_off.worst_error_over_bound == 4);
  CHECK(one_off.worst_index == 2);
}

TEST_CASE("judge: nothing compared is no agreement, except where there is nothing") {
  CHECK(judge_values({}, {}, 0).agrees);
  CHECK(judge_values({}, {}, 0).compared == 0);
  CHECK_FALSE(judge({}, {}).compared > 0);
  const Expectation two{{host({1}, {1}), host({1}, {1})}, {{0}, {0}}};
  const Tensor output = host({1}, {1});
  CHECK_THROWS_AS((void)judge(two, {&output, 1}), Error);
}

TEST_CASE("bounds: float32 passes, TF32 and one wrong product don't") {
  for (const std::size_t terms : {8u, 33u, 64u}) {
    CAPTURE(terms);
    const std::vector<float> a = random_values(terms, 1), b = random_values(terms, 2);
    const auto k = static_cast<std::int64_t>(terms);
    const std::vector<Tensor> inputs{host(a, {1, k}), host(b, {k, 1})};
    const Tensor like = host({0}, {1, 1});
    const Expectation expected = expect(Operation(op::Matmul{}), inputs, {&like, 1});
    const auto agrees = [&](float value) {
      const Tensor output = host({value}, {1, 1});
      return judge(expected, {&output, 1}).agrees;
    };
    CHECK(agrees(dot(a, b, [](float x) { return x; })));
    CHECK_FALSE(agrees(dot(a, b, as_tf32)));
    CHECK_FALSE(agrees(dot(a, b, [](float x) { return x; }) + a[3] * b[3]));
  }
}

TEST_CASE("audit: checks each operation, changes nothing") {
  const Device reference = device("reference:0");
  const auto run = [&] {
    manual_seed(7);
    const Tensor x = normal({4, 8}, 0, 1, {.device = reference});
    const Tensor y = dropout(relu(x), 0.5f);
    Tensor z = add(y, x);
    z.fill(2);
    return std::pair(add(z, y).to_vector<float>(), generator_state().site);
  };
  const auto unobserved = run();
  AgreementAudit audit;
  const ObserverGuard guard(audit);
  const auto observed = run();
  CHECK(observed == unobserved);
  CHECK(audit.report().agrees());
  CHECK(audit.report().operations_checked >= 6);
  CHECK(audit.report().worst_error_over_bound == 0);
}
