// The tensors of one case: on the device behind guards, and on the host as the oracle gets them.
#include "bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "execute.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

std::mt19937_64 generator(const Row& row, DataClass data, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325u ^ seed;  // FNV-1a
  const auto mix = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  };
  mix(row.operation.name());
  mix(row.arguments);
  mix(to_string(data));
  return std::mt19937_64(hash);
}

void note(std::string& fault, const std::string& text, const char* role, std::size_t i) {
  if (fault.empty() && !text.empty()) fault = fmt::format("{} {}: {}", role, i, text);
}

}  // namespace

Bench::Bench(const Case& one, Device device, std::uint64_t seed) : case_(one), row_(*one.row) {
  std::mt19937_64 random = generator(row_, one.data, seed);
  for (const Argument& input : row_.inputs) {
    inputs_.emplace_back(device, input.dtype, input.shape, one.layout);
    input_values_.push_back(draw(input, random));
  }
  const Layout layout = one.layout == Layout::expanded ? Layout::contiguous : one.layout;
  for (std::size_t i = 0; i < row_.outputs.size(); ++i) {
    const Argument& output = row_.outputs[i];
    if (!one.in_place) outputs_.emplace_back(device, output.dtype, output.shape, layout);
    previous_.push_back(adds(i) ? draw(output, random) : Tensor());
  }
  prepare();
  for (const GuardedTensor& input : inputs_) oracle_inputs_.push_back(input.filled());
}

void Bench::prepare() {
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i].fill(input_values_[i]);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    adds(i) ? outputs_[i].fill(previous_[i]) : outputs_[i].poison();
  }
}

std::string Bench::run() const {
  std::vector<Tensor> src, dst;
  for (const GuardedTensor& input : inputs_) src.push_back(input.view());
  for (std::size_t i = 0; i < row_.outputs.size(); ++i) dst.push_back(output(i).view());
  return execute(row_.operation, src, dst,
                 {.adds_to = adds_to(), .any_layout = case_.layout == Layout::any});
}

std::vector<Tensor> Bench::read(std::string& fault) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto outcome = inputs_[i].read();
    note(fault, outcome.guard_fault, "input", i);
    const bool may_change = case_.in_place && is_updated(i);
    if (outcome.first_changed >= 0 && !may_change) {
      note(fault, fmt::format("element {} was changed", outcome.first_changed), "input", i);
    }
  }
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < row_.outputs.size(); ++i) {
    const auto outcome = output(i).read();
    note(fault, outcome.guard_fault, "output", i);
    // Integers have no value that can't be a result.
    if (outcome.first_poisoned >= 0 && is_floating(row_.outputs[i].dtype)) {
      note(fault, fmt::format("element {} was never written", outcome.first_poisoned), "output", i);
    }
    results.push_back(outcome.elements);
  }
  return results;
}

Expectation Bench::expectation() const {
  if (!row_.answers.empty()) return written_answers();
  std::vector<Tensor> like;
  for (const Argument& output : row_.outputs) {
    like.push_back(empty(output.shape, {.dtype = output.dtype, .device = Device::host()}));
  }
  return expect(row_.operation, oracle_inputs_, like, adds_to(), previous_);
}

Expectation Bench::written_answers() const {
  Expectation known;
  for (std::size_t i = 0; i < row_.outputs.size(); ++i) {
    const Argument& output = row_.outputs[i];
    const std::vector<double>& answers = row_.answers[i];
    known.outputs.push_back(host_tensor(answers, output.shape, output.dtype));
    const double unit = output.dtype == DType::f64 ? 0x1p-52 : 0x1p-23;
    std::vector<double>& bounds = known.bounds.emplace_back();
    for (const double answer : answers) {
      bounds.push_back(std::isfinite(answer) ? row_.ulps * unit * std::abs(answer) : 0);
    }
  }
  return known;
}

bool Bench::is_updated(std::size_t input) const {
  return std::ranges::find(row_.aliases, input) != row_.aliases.end();
}

const GuardedTensor& Bench::output(std::size_t i) const {
  return case_.in_place ? inputs_[row_.aliases[i]] : outputs_[i];
}

Tensor Bench::draw(const Argument& argument, std::mt19937_64& random) const {
  std::vector<double> numbers(static_cast<std::size_t>(argument.shape.count()));
  const Fill& fill = case_.data == DataClass::real ? argument.real : argument.exact;
  fill({random, row_.terms}, numbers);
  return host_tensor(numbers, argument.shape, argument.dtype);
}

}  // namespace conformance
