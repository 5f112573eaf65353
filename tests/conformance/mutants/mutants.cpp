// The mutants: kinds of fault that back ends have had, each as small as it can be.
#include "mutant.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "backplane/plugin/ops.hpp"
#include "output_editor.hpp"

namespace mutants {

namespace {

namespace op = backplane::op;

template <class Op>
bool is(const Run& run) {
  return run.plan.operation == op::row_of<Op>.id;
}

// A gradient checker that compares directions, or lets NaN pass, doesn't see this.
void scale_relu_gradient(const Run& run) {
  if (!is<op::ReluBackward>(run)) return;
  edit_elements(run, 0, [](std::span<float*> elements) {
    for (float* element : elements) *element *= 5;
  });
}

// One element in thousands, by half a percent: lost in any norm over the tensor.
void change_one_element(const Run& run) {
  if (!is<op::Matmul>(run) && !is<op::Conv2d>(run)) return;
  edit_elements(run, 0, [](std::span<float*> elements) {
    if (elements.size() < 1000) return;
    float& element = *elements[elements.size() * 5 / 8];
    element += std::max(std::abs(element), 1.0f) * 0x1p-8f;
  });
}

void put_nan(const Run& run) {
  if (!is<op::Mul>(run)) return;
  edit_elements(run, 0, [](std::span<float*> elements) {
    if (!elements.empty()) *elements.back() = std::numeric_limits<float>::quiet_NaN();
  });
}

// What a vector store does whose tail isn't masked.
void write_past_end(const Run& run) {
  if (!is<op::Relu>(run)) return;
  overwrite_behind(run, 0, 4);
}

// The two forms of gelu are 5e-4 apart: lost in a tolerance that suits all operations.
void swap_gelu_gradient(bp_plan_request& request) {
  static constexpr op::GeluBackward by_tanh{{op::Approximate::tanh}};
  if (request.op.id == op::row_of<op::GeluBackward>.id) request.op.params = &by_tanh;
}

// The gradient of clamp as if it were that of the identity.
void unbind_clamp_gradient(bp_plan_request& request) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr op::ClampBackward unbound{{-infinity, infinity}};
  if (request.op.id == op::row_of<op::ClampBackward>.id) request.op.params = &unbound;
}

// What a comparison of maxima does that was written for numbers.
void drop_nan(const Run& run) {
  if (!is<op::Max>(run)) return;
  edit_elements(run, 0, [](std::span<float*> elements) {
    for (float* element : elements) {
      if (std::isnan(*element)) *element = std::numeric_limits<float>::max();
    }
  });
}

// Right but for equal operands.
void exclude_ties(bp_plan_request& request) {
  if (request.op.id == op::row_of<op::LessEqual>.id) request.op.id = op::row_of<op::Less>.id;
}

// Right but for a difference's sign.
void turn_subtraction(const Run& run) {
  if (!is<op::Sub>(run)) return;
  edit_elements(run, 0, [](std::span<float*> elements) {
    for (float* element : elements) *element = -*element;
  });
}

// The gradient of a running sum as if it were the sum itself.
void keep_direction(bp_plan_request& request) {
  thread_local op::Cumsum forward;
  if (request.op.id != op::row_of<op::Cumsum>.id) return;
  forward = {static_cast<const op::Cumsum*>(request.op.params)->axis, 0};
  request.op.params = &forward;
}

constexpr std::array table{
    Mutant{.name = "relu_gradient",
           .breaks = "the gradient of relu is five times too large",
           .filter = "relu_backward(*",
           .asynchronous = false,
           .after_run = scale_relu_gradient},
    Mutant{.name = "gelu_gradient",
           .breaks = "the gradient of gelu is that of its tanh form",
           .filter = "gelu_backward(*",
           .asynchronous = false,
           .change_request = swap_gelu_gradient},
    Mutant{.name = "clamp_gradient",
           .breaks = "the gradient of clamp passes beyond the bounds",
           .filter = "clamp_backward(*",
           .asynchronous = false,
           .change_request = unbind_clamp_gradient},
    Mutant{.name = "max_nan",
           .breaks = "a NaN doesn't win in max",
           .filter = "max(*",
           .asynchronous = false,
           .after_run = drop_nan},
    Mutant{.name = "less_equal_ties",
           .breaks = "less_equal is false of equal operands",
           .filter = "less_equal(*",
           .asynchronous = false,
           .change_request = exclude_ties},
    Mutant{.name = "sub_sign",
           .breaks = "sub takes its operands in the other order",
           .filter = "sub(*",
           .asynchronous = false,
           .after_run = turn_subtraction},
    Mutant{.name = "cumsum_direction",
           .breaks = "cumsum ignores that it should run in reverse",
           .filter = "cumsum(*",
           .asynchronous = false,
           .change_request = keep_direction},
    Mutant{.name = "one_element",
           .breaks = "one element of a large matmul or conv2d is off by half a percent",
           .filter = "conv2d(*",
           .asynchronous = false,
           .after_run = change_one_element},
    Mutant{.name = "nan_output",
           .breaks = "the last element of mul is NaN",
           .filter = "mul(*",
           .asynchronous = false,
           .after_run = put_nan},
    Mutant{.name = "write_past_end",
           .breaks = "relu writes four bytes past its output",
           .filter = "relu(*",
           .asynchronous = false,
           .after_run = write_past_end},
    Mutant{.name = "missing_event_wait",
           .breaks = "a stream doesn't wait for an event",
           .filter = "machinery(*",
           .asynchronous = true,
           .drops_event_wait = true},
};

}  // namespace

std::span<const Mutant> all_mutants() {
  return table;
}

const Mutant* find_mutant(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Mutant::name);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace mutants
