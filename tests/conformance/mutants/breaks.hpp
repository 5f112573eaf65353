// The vocabulary of the rows: ways to break one operation, each a hook of a mutant.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "backplane/plugin/ops.hpp"
#include "mutant.hpp"
#include "output_editor.hpp"

namespace mutants {

namespace op = backplane::op;

template <class Op>
[[nodiscard]] bool is(const Run& run) {
  return run.plan.operation == op::row_of<Op>.id;
}

template <class Op>
[[nodiscard]] bool is(const bp_plan_request& request) {
  return request.op.id == op::row_of<Op>.id;
}

// The plan is made with other parameters than were asked for.
template <class Op, auto change>
void change_params(bp_plan_request& request) {
  thread_local Op changed;
  if (!is<Op>(request)) return;
  changed = *static_cast<const Op*>(request.op.params);
  change(changed);
  request.op.params = &changed;
}

// The plan is for another operation, which takes the same parameters and tensors.
template <class From, class To>
void become(bp_plan_request& request) {
  static_assert(sizeof(From) == sizeof(To));
  if (is<From>(request)) request.op.id = op::row_of<To>.id;
}

// The plan leaves out its last input, where that is number `input`.
template <class Op, std::uint32_t input>
void drop_input(bp_plan_request& request) {
  if (is<Op>(request) && request.input_count == input + 1) request.input_count = input;
}

template <class Op, auto change>
void change_scalars(Run& run) {
  if (!is<Op>(run)) return;
  typename Op::Scalars scalars;
  std::memcpy(&scalars, run.scalars.data(), sizeof scalars);
  change(scalars);
  std::memcpy(run.scalars.data(), &scalars, sizeof scalars);
}

// `change` gets the elements of an output, as doubles, row-major.
template <class Op, auto change, std::size_t output = 0>
void change_output(const Run& run) {
  if (is<Op>(run) && output < run.outputs.size()) edit_elements(run, output, change);
}

// For change_output: `function` of each element by itself.
template <auto function>
void each(std::span<double> elements) {
  for (double& element : elements) element = function(element);
}

inline void zero_last(std::span<double> elements) {
  if (!elements.empty()) elements.back() = 0;
}

// As a mantissa of so many bits, the first one among them, holds it.
template <int bits>
double with_mantissa(double value) {
  constexpr double scale = 1 << bits;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::isfinite(value) ? std::ldexp(std::nearbyint(fraction * scale) / scale, exponent)
                              : value;
}
inline constexpr auto as_tf32 = with_mantissa<11>;
inline constexpr auto as_bf16 = with_mantissa<8>;

}  // namespace mutants
