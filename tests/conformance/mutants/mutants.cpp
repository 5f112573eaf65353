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

// Makes the plan with other parameters.
template <class Op, auto change>
void change_parameters(bp_plan_request& request) {
  thread_local Op changed;
  if (request.op.id != op::row_of<Op>.id) return;
  std::memcpy(static_cast<void*>(&changed), request.op.params, sizeof changed);
  change(changed);
  request.op.params = &changed;
}

constexpr auto drop_epsilon = [](auto& op) { op.epsilon = 0; };
constexpr auto turn_padding = [](auto& op) { op.count_include_pad ^= 1; };
constexpr auto turn_corners = [](auto& op) {
  if (op.mode == op::Interpolation::bilinear) op.align_corners ^= 1;
};
constexpr auto make_nearest = [](auto& op) { op = {op::Interpolation::nearest, 0}; };

// Divided by n - 1 instead of n: half a percent of a batch of two hundred.
void unbias_variance(const Run& run) {
  if (!is<op::Standardize>(run)) return;
  const auto count = [](const bp_tensor_desc& desc) {
    double product = 1;
    for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
      product *= static_cast<double>(desc.dims[axis]);
    }
    return product;
  };
  const double n = count(run.plan.inputs[0]) / count(run.plan.outputs[2]);
  edit_elements(run, 2, [n](std::span<float*> elements) {
    for (float* element : elements) *element *= static_cast<float>(n / (n - 1));
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
    Mutant{.name = "standardize_epsilon",
           .breaks = "standardize leaves epsilon out",
           .filter = "standardize(*",
           .asynchronous = false,
           .change_request = change_parameters<op::Standardize, drop_epsilon>},
    Mutant{.name = "standardize_variance",
           .breaks = "the variance of standardize is unbiased",
           .filter = "standardize(*",
           .asynchronous = false,
           .after_run = unbias_variance},
    Mutant{.name = "standardize_gradient",
           .breaks = "the gradient of standardize leaves epsilon out",
           .filter = "standardize_backward(*",
           .asynchronous = false,
           .change_request = change_parameters<op::StandardizeBackward, drop_epsilon>},
    Mutant{.name = "avg_pool2d_padding",
           .breaks = "avg_pool2d counts padding where it shouldn't, and the other way round",
           .filter = "avg_pool2d(*",
           .asynchronous = false,
           .change_request = change_parameters<op::AvgPool2d, turn_padding>},
    Mutant{.name = "avg_pool2d_gradient",
           .breaks = "the gradient of avg_pool2d divides by the other rule",
           .filter = "avg_pool2d_backward(*",
           .asynchronous = false,
           .change_request = change_parameters<op::AvgPool2dBackward, turn_padding>},
    Mutant{.name = "interpolate_corners",
           .breaks = "interpolate aligns the corners where it shouldn't, and the other way round",
           .filter = "interpolate(*",
           .asynchronous = false,
           .change_request = change_parameters<op::Interpolate, turn_corners>},
    Mutant{.name = "interpolate_nearest",
           .breaks = "interpolate takes the nearest element instead of two",
           .filter = "interpolate(*",
           .asynchronous = false,
           .change_request = change_parameters<op::Interpolate, make_nearest>},
    Mutant{.name = "interpolate_gradient",
           .breaks = "the gradient of interpolate aligns the corners by the other rule",
           .filter = "interpolate_backward(*",
           .asynchronous = false,
           .change_request = change_parameters<op::InterpolateBackward, turn_corners>},
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
