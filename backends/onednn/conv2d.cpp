// conv2d, and its gradients with respect to the input and to the weight.
#include <cstring>

#include "backend.hpp"
#include "convolution.hpp"
#include "cpu/arithmetic.h"
#include "cpu/copy.h"
#include "layout.hpp"
#include "nest.hpp"
#include "own_convolution.hpp"
#include "parallel.hpp"
#include "plan.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

using Forward = dnnl::convolution_forward::primitive_desc;
using BackwardData = dnnl::convolution_backward_data::primitive_desc;
using BackwardWeight = dnnl::convolution_backward_weights::primitive_desc;

bool has_elements(const bp_tensor_desc& desc) {
  return element_count(desc) != 0;
}

// Asks for an input in another layout only where it isn't already there.
void want(bp_tensor_desc& input, const bp_tensor_desc& layout) {
  if (!same_layout(input, layout)) input = layout;
}

void want_row_major(bp_tensor_desc& input) {
  if (!is_row_major(input)) set_row_major(input);
}

void settle_row_major(const Check& check, bp_tensor_desc& output, const char* what) {
  if (output.layout == BP_LAYOUT_ANY) set_row_major(output);
  if (!is_row_major(output)) throw check.unsupported(std::string(what) + " is written row-major");
}

// y = bias where nothing is summed, for want of an input with elements.
std::unique_ptr<plugin::Plan> plan_bias_only(plugin::Request& request) {
  bp_tensor_desc& y = request.outputs[0];
  if (y.layout == BP_LAYOUT_ANY) set_row_major(y);
  const bool has_bias = request.inputs.size() == 3;
  bp_tensor_desc bias = y;
  std::fill_n(bias.dims, bias.rank, 1);
  if (has_bias) bias.dims[1] = y.dims[1];
  set_row_major(bias);
  request.implementation = "fill";
  return make_plan(request, [nest = Nest({&y, &bias}), threads = request.threads,
                             has_bias](const plugin::HostRun& run) {
    static constexpr std::uint32_t zero = 0;
    const auto* src = has_bias ? run.input<std::uint32_t>(2) : &zero;
    auto* dst = run.output<std::uint32_t>(0);
    nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
      cpu::copy(plane, strided(src, at[1]), strided(dst, at[0]));
    });
  });
}

// Outputs that aren't added to become zero.
std::unique_ptr<plugin::Plan> plan_zeros(plugin::Request& request) {
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const bool kept = (request.adds_to >> i & 1) != 0;
    const bp_tensor_desc& output = request.outputs[i];
    bytes.push_back(kept ? 0 : byte_count(output));
  }
  request.implementation = "fill";
  return make_plan(request, [bytes](const plugin::HostRun& run) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != 0) std::memset(run.output(i), 0, bytes[i]);
    }
  });
}

// What conv2d and its gradient with respect to the input have in common: the weight is put into the
// kernel's order, once if the caller keeps it, then the primitive runs. Slots of the primitive:
// input 0, weight, output, scratch memory, input 2.
std::unique_ptr<plugin::Plan> plan_with_weight(plugin::Request& request,
                                               const Convolution& convolution,
                                               const dnnl::memory::desc& weight,
                                               const dnnl::memory::desc& scratchpad,
                                               const Primitive& primitive) {
  WorkspaceLayout workspace;
  const Reorder reorder(convolution.plain_weight(), weight);
  const bool prepares = reorder.needed() && request.keeps(1);
  const bool orders = reorder.needed() && !prepares;
  if (prepares) request.prepared_bytes = weight.get_size();
  const auto weight_at = workspace.add(orders ? weight.get_size() : 0);
  const auto scratchpad_at =
      workspace.add(std::max<std::uint64_t>(reorder.scratchpad_bytes(), scratchpad.get_size()));
  request.workspace_bytes = workspace.bytes();
  const std::uint32_t threads = convolution.team(request.threads);
  return make_plan(
      request,
      [=](const plugin::HostRun& run) {
        const VendorTeam team(threads);
        char* scratch = run.workspace() + scratchpad_at;
        char* ordered = prepares ? run.prepared() : const_cast<char*>(run.input(1));
        if (orders) {
          ordered = run.workspace() + weight_at;
          reorder.execute(run.input(1), ordered, scratch);
        }
        primitive.execute({const_cast<char*>(run.input(0)), ordered, run.output(0), scratch,
                           const_cast<char*>(run.input(2))});
      },
      [=](const plugin::HostRun& run) {
        const VendorTeam team(threads);
        reorder.pack(run.input(1), run.prepared());
      });
}

// The gradient of the weight comes out in the kernel's order. It reaches its output through the
// workspace where that isn't plain, or where there is something to add to.
std::unique_ptr<plugin::Plan> plan_weight_gradient(plugin::Request& request,
                                                   const Convolution& convolution,
                                                   const BackwardWeight& description) {
  const bool adds_weight = (request.adds_to & 1) != 0, adds_bias = (request.adds_to & 2) != 0;
  const std::int64_t weights = element_count(request.outputs[0]);
  const std::int64_t biases = request.outputs.size() == 2 ? request.outputs[1].dims[0] : 0;
  const dnnl::memory::desc ordered = description.diff_weights_desc();
  const dnnl::memory::desc scratchpad = description.scratchpad_desc();
  const Reorder reorder(ordered, convolution.plain_weight());
  WorkspaceLayout workspace;
  const auto ordered_at = workspace.add(reorder.needed() ? ordered.get_size() : 0);
  const auto weight_at = workspace.add(adds_weight ? weights * sizeof(float) : 0);
  const auto bias_at = workspace.add(adds_bias ? biases * sizeof(float) : 0);
  const auto scratchpad_at =
      workspace.add(std::max<std::uint64_t>(reorder.scratchpad_bytes(), scratchpad.get_size()));
  request.workspace_bytes = workspace.bytes();
  const Primitive backward(dnnl::convolution_backward_weights(description),
                           {{DNNL_ARG_SRC, description.src_desc()},
                            {DNNL_ARG_DIFF_DST, description.diff_dst_desc()},
                            {DNNL_ARG_DIFF_WEIGHTS, ordered},
                            {DNNL_ARG_SCRATCHPAD, scratchpad},
                            {DNNL_ARG_DIFF_BIAS, description.diff_bias_desc()}});
  const auto accumulate = [](const char* src, float* dst, std::int64_t count) {
    const cpu::Strided<const float> from{reinterpret_cast<const float*>(src), 0, 1};
    cpu::map<cpu::Add, float>({}, cpu::Plane{1, count}, {dst, 0, 1}, from, {dst, 0, 1});
  };
  const std::uint32_t threads = convolution.team(request.threads);
  return make_plan(request, [=](const plugin::HostRun& run) {
    const VendorTeam team(threads);
    char *space = run.workspace(), *scratch = space + scratchpad_at;
    char* weight = adds_weight ? space + weight_at : run.output(0);
    char* bias = adds_bias ? space + bias_at : run.output(1);
    char* made = reorder.needed() ? space + ordered_at : weight;
    backward.execute(
        {const_cast<char*>(run.input(0)), const_cast<char*>(run.input(1)), made, scratch, bias});
    if (reorder.needed()) reorder.execute(made, weight, scratch);
    if (adds_weight) accumulate(weight, run.output<float>(0), weights);
    if (adds_bias) accumulate(bias, run.output<float>(1), biases);
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2d& op, plugin::Request& request) {
  const Check check(op::row_of<op::Conv2d>, request);
  check.inputs(2, 3);
  check.outputs(1, 1);
  bp_tensor_desc &input = request.inputs[0], &weight = request.inputs[1], &y = request.outputs[0];
  Convolution::check_types(check, input, weight, y);
  if (widens(input)) return plan_widened(request, [&](auto& wide) { return plan(op, wide); });
  const Convolution convolution(check, op, input, weight, y);
  dnnl::memory::desc bias;
  const bool has_bias = request.inputs.size() == 3;
  if (has_bias) {
    convolution.check_bias(check, request.inputs[2]);
    want_row_major(request.inputs[2]);
    bias = convolution.bias();
  }
  if (!has_elements(y) || !has_elements(input)) return plan_bias_only(request);
  if (auto plan =
          plan_own_convolution(request, {.shape = convolution.shape(), .has_bias = has_bias})) {
    return plan;
  }
  want_row_major(weight);

  const VendorTeam team(convolution.team(request.threads));
  const auto candidates = candidate_layouts(input, y, convolution.params.groups,
                                            {.output_fixed = y.layout != BP_LAYOUT_ANY});
  const auto [layouts, description] = choose<Forward>(
      check, candidates, [&](const auto& pair) { return convolution.forward(pair, bias); });
  want(input, layouts.input);
  // A fixed one stays to the letter: the candidate may differ in the stride of a dim of 1.
  if (y.layout == BP_LAYOUT_ANY) y = layouts.output;
  request.implementation = description.impl_info_str();
  const Primitive forward(dnnl::convolution_forward(description),
                          {{DNNL_ARG_SRC, description.src_desc()},
                           {DNNL_ARG_WEIGHTS, description.weights_desc()},
                           {DNNL_ARG_DST, description.dst_desc()},
                           {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()},
                           {DNNL_ARG_BIAS, description.bias_desc()}});
  return plan_with_weight(request, convolution, description.weights_desc(),
                          description.scratchpad_desc(), forward);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2dBackwardData& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Conv2dBackwardData>, request);
  check.inputs(2, 2);
  check.outputs(1, 1);
  bp_tensor_desc &dy = request.inputs[0], &weight = request.inputs[1], &dx = request.outputs[0];
  Convolution::check_types(check, dy, weight, dx);
  if (widens(dy)) return plan_widened(request, [&](auto& wide) { return plan(op, wide); });
  const Convolution convolution(check, op, dx, weight, dy);
  if (!has_elements(dy) || !has_elements(dx)) {
    settle_row_major(check, dx, "dx");
    return plan_zeros(request);
  }
  if (auto plan = plan_own_convolution(
          request,
          {.shape = cpu::shape_of_backward_data(convolution.shape()), .backward_data = true})) {
    return plan;
  }
  want_row_major(weight);

  const VendorTeam team(convolution.team(request.threads));
  const auto candidates =
      candidate_layouts(dx, dy, convolution.params.groups,
                        {.input_fixed = dx.layout != BP_LAYOUT_ANY, .backward_data = true});
  const auto [layouts, description] = choose<BackwardData>(
      check, candidates, [&](const auto& pair) { return convolution.backward_data(pair); });
  want(dy, layouts.output);
  if (dx.layout == BP_LAYOUT_ANY) dx = layouts.input;
  request.implementation = description.impl_info_str();
  const Primitive backward(dnnl::convolution_backward_data(description),
                           {{DNNL_ARG_DIFF_DST, description.diff_dst_desc()},
                            {DNNL_ARG_WEIGHTS, description.weights_desc()},
                            {DNNL_ARG_DIFF_SRC, description.diff_src_desc()},
                            {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()},
                            {DNNL_ARG_BIAS, {}}});
  return plan_with_weight(request, convolution, description.weights_desc(),
                          description.scratchpad_desc(), backward);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2dBackwardWeight& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Conv2dBackwardWeight>, request);
  check.inputs(2, 2);
  check.outputs(1, 2);
  bp_tensor_desc &input = request.inputs[0], &dy = request.inputs[1];
  bp_tensor_desc& dweight = request.outputs[0];
  Convolution::check_types(check, input, dy, dweight);
  if (widens(input)) return plan_widened(request, [&](auto& wide) { return plan(op, wide); });
  const Convolution convolution(check, op, input, dweight, dy);
  settle_row_major(check, dweight, "dweight");
  dnnl::memory::desc bias;
  if (request.outputs.size() == 2) {
    check.dtype(request.outputs[1], "dbias", {BP_F32});
    check.dims(request.outputs[1], "dbias", {dy.dims[1]});
    settle_row_major(check, request.outputs[1], "dbias");
    bias = convolution.bias();
  }
  if (!has_elements(dy)) return plan_zeros(request);
  if (!has_elements(input)) throw check.unsupported("an input without elements");
  if (auto plan = plan_own_weight_gradient(request, convolution.shape())) return plan;

  const VendorTeam team(convolution.team(request.threads));
  const auto candidates = candidate_layouts(input, dy, convolution.params.groups, {});
  const auto [layouts, description] = choose<BackwardWeight>(
      check, candidates, [&](const auto& pair) { return convolution.backward_weight(pair, bias); });
  want(input, layouts.input);
  want(dy, layouts.output);
  request.implementation = description.impl_info_str();
  return plan_weight_gradient(request, convolution, description);
}

}  // namespace backplane::onednn
