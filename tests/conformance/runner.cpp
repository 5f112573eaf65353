// Runs one case on one device and gives its verdict.
#include "runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "backplane/autograd.hpp"
#include "backplane/observe/oracle.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "PASS";
    case Verdict::fail:
      return "FAIL";
    case Verdict::unsupported:
      return "UNSUPPORTED";
    case Verdict::mistrusted:
      return "MISTRUSTED";
    case Verdict::crash:
      return "CRASH";
  }
  return "unknown";
}

namespace {

std::string describe(const Judgement& judgement, const Row& row) {
  if (judgement.compared == 0) return "no element was compared";
  Shape at = row.outputs[judgement.worst_output].shape;
  std::int64_t index = judgement.worst_index;
  for (std::size_t axis = at.rank(); axis-- > 0;) {
    const std::int64_t size = at[axis];
    at[axis] = index % size;
    index /= size;
  }
  return fmt::format("output {} {}: {} where {} is expected, {:.3g} times the bound",
                     judgement.worst_output, to_string(at), judgement.worst_value,
                     judgement.worst_expected, judgement.worst_error_over_bound);
}

// A case whose answer is nearly all 0 would pass a kernel that does nothing.
bool nearly_all_zero(const Expectation& expected) {
  std::size_t count = 0, zeros = 0;
  for (const Tensor& output : expected.outputs) {
    for (const double value : host_values(output)) {
      ++count;
      if (value == 0) ++zeros;
    }
  }
  return count > 0 && static_cast<double>(count - zeros) < 0.05 * static_cast<double>(count);
}

std::string mistrust(const Case& one, const Judgement& judgement, const Expectation& expected) {
  // One repeated element may well be 0; the row's other layouts answer for the operation.
  const bool repeated = one.layout == Layout::expanded;
  if (one.row->trivial || one.data == DataClass::special || repeated) return "";
  if (judgement.compared == 0) return "no element was compared";
  return nearly_all_zero(expected) ? "nearly all expected outputs are 0" : "";
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto first = host_bytes(a[i]), second = host_bytes(b[i]);
    if (!std::ranges::equal(first, second)) return false;
  }
  return true;
}

}  // namespace

const Expectation& Runner::expectation_of(const Case& one, const Bench& bench) {
  const bool expanded = one.layout == Layout::expanded;
  if (kept_.row != one.row || kept_.data != one.data || kept_.adds != one.adds ||
      kept_.expanded != expanded) {
    kept_ = {one.row, one.data, one.adds, expanded, bench.expectation()};
  }
  return kept_.expectation;
}

Result Runner::run_row(const Case& one) {
  const NoGradGuard no_grad;
  Bench bench(one, options_.device, options_.seed);
  Result result;
  result.implementation = bench.run();
  const std::vector<Tensor> outputs = bench.read(result.detail);
  if (!result.detail.empty()) {
    result.verdict = Verdict::fail;
    return result;
  }
  const Expectation& expected = expectation_of(one, bench);
  const Judgement judgement = judge(expected, outputs, one.data == DataClass::exact);
  result.worst_error_over_bound = judgement.worst_error_over_bound;
  if (!judgement.agrees) {
    result.verdict = Verdict::fail;
    result.detail = describe(judgement, *one.row);
    return result;
  }
  result.detail = mistrust(one, judgement, expected);
  if (!result.detail.empty()) {
    result.verdict = Verdict::mistrusted;
    return result;
  }
  bench.prepare();
  bench.run();
  if (!same_bits(outputs, bench.read(result.detail)))
    result.detail = "a second run gave other bits";
  if (!result.detail.empty()) result.verdict = Verdict::fail;
  return result;
}

Result Runner::judged(const Case& one) {
  if (one.row) return run_row(one);
  Result result;
  result.detail = one.check(options_.device);
  if (!result.detail.empty()) result.verdict = Verdict::fail;
  return result;
}

Result Runner::run(const Case& one) {
  const NumericsGuard numerics(one.data == DataClass::real ? options_.numerics : Numerics::strict);
  const auto start = std::chrono::steady_clock::now();
  Result result;
  try {
    result = judged(one);
  } catch (const Error& error) {
    const bool declined = error.code() == ErrorCode::unsupported;
    result.verdict = declined ? Verdict::unsupported : Verdict::fail;
    result.detail = error.what();
  } catch (const std::exception& error) {
    result.verdict = Verdict::fail;
    result.detail = error.what();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace conformance
