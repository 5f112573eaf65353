// The mutants: kinds of fault that back ends have had, each as small as it can be.
#include "mutant.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
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

// The parameters of a plan's operation, as `change` leaves them; the request lives as long as they.
template <class Op, class Change>
void change_parameters(bp_plan_request& request, Change change) {
  if (request.op.id != op::row_of<Op>.id) return;
  thread_local Op changed;
  std::memcpy(static_cast<void*>(&changed), request.op.params, sizeof changed);
  change(changed);
  request.op.params = &changed;
}

// Labels that mean nothing are learnt from, or reported.
void learn_from_ignored(bp_plan_request& request) {
  change_parameters<op::Nll>(request, [](op::Nll& nll) { nll.ignores = 0; });
}

void widen_huber_gradient(bp_plan_request& request) {
  change_parameters<op::HuberBackward>(request, [](op::HuberBackward& huber) { huber.delta *= 2; });
}

// The gradient of a mean as if it were that of a sum.
void forget_mean(bp_plan_request& request) {
  change_parameters<op::L1Backward>(request, [](op::L1Backward& l1) {
    if (l1.reduction == op::Reduction::mean) l1.reduction = op::Reduction::sum;
  });
}

// AdamW as Adam with weight decay in the gradient: the two differ by percents of a small step.
void couple_weight_decay(bp_plan_request& request) {
  change_parameters<op::AdamStep>(request, [](op::AdamStep& adam) { adam.decoupled = 0; });
}

void forget_nesterov(bp_plan_request& request) {
  change_parameters<op::SgdStep>(request, [](op::SgdStep& sgd) { sgd.nesterov = 0; });
}

// As a norm of all gradients but the small ones would be.
void shrink_norm(const Run& run) {
  if (!is<op::GradientNorm>(run)) return;
  edit_elements(run, 0, [](std::span<float*> elements) {
    for (float* element : elements) *element *= 0.999f;
  });
}

// Right for a single axis.
void forget_first_axis(bp_plan_request& request) {
  change_parameters<op::Flip>(request, [](op::Flip& flip) { flip.axes &= flip.axes - 1; });
}

void take_largest(bp_plan_request& request) {
  change_parameters<op::TopK>(request, [](op::TopK& top_k) { top_k.largest = 1; });
}

// What a batch becomes whose stride is lost.
void repeat_first_matrix(const Run& run) {
  const bp_tensor_desc& y = run.plan.outputs[0];
  if (!is<op::Matmul>(run) || y.rank < 3) return;
  edit_elements(run, 0, [&](std::span<float*> elements) {
    const auto matrix = static_cast<std::size_t>(y.dims[y.rank - 2] * y.dims[y.rank - 1]);
    for (std::size_t i = matrix; i < elements.size(); ++i) *elements[i] = *elements[i % matrix];
  });
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
    Mutant{.name = "nll_ignored",
           .breaks = "nll learns from the labels that it should ignore",
           .filter = "nll(*",
           .asynchronous = false,
           .change_request = learn_from_ignored},
    Mutant{.name = "huber_gradient",
           .breaks = "the gradient of huber bends at twice its delta",
           .filter = "huber_backward(*",
           .asynchronous = false,
           .change_request = widen_huber_gradient},
    Mutant{.name = "loss_mean",
           .breaks = "the gradient of an l1 mean isn't divided by the count",
           .filter = "l1_backward(*",
           .asynchronous = false,
           .change_request = forget_mean},
    Mutant{.name = "adam_decay",
           .breaks = "AdamW's weight decay goes through the moments",
           .filter = "adam_step(*",
           .asynchronous = false,
           .change_request = couple_weight_decay},
    Mutant{.name = "sgd_nesterov",
           .breaks = "Nesterov's momentum is plain momentum",
           .filter = "sgd_step(*",
           .asynchronous = false,
           .change_request = forget_nesterov},
    Mutant{.name = "gradient_norm",
           .breaks = "the norm of all gradients is a thousandth too small",
           .filter = "gradient_norm(*",
           .asynchronous = false,
           .after_run = shrink_norm},
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
    Mutant{.name = "flip_axes",
           .breaks = "flip forgets the first of its axes",
           .filter = "flip(*",
           .asynchronous = false,
           .change_request = forget_first_axis},
    Mutant{.name = "top_k_smallest",
           .breaks = "top_k takes the largest where the smallest are asked for",
           .filter = "top_k(*",
           .asynchronous = false,
           .change_request = take_largest},
    Mutant{.name = "matmul_batch",
           .breaks = "all products of a batch are the first one",
           .filter = "matmul(* of *",
           .asynchronous = false,
           .after_run = repeat_first_matrix},
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
