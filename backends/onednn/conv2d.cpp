// conv2d, and its gradients with respect to the input and to the weight.
#include <cstring>

#include "backend.hpp"
#include "convolution.hpp"
#include "cpu/add.h"
#include "cpu/copy.h"
#include "layout.hpp"
#include "nest.hpp"
#include "parallel.hpp"
#include "plan.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

bool has_elements(const bp_tensor_desc& desc) {
  return element_count(desc) != 0;
}

void settle(bp_tensor_desc& desc) {
  if (desc.layout == BP_LAYOUT_ANY) set_row_major(desc);
}

// Asks for an input in another layout only where it isn't already there.
void want(bp_tensor_desc& input, const bp_tensor_desc& layout) {
  if (!same_layout(input, layout)) input = layout;
}

void want_row_major(bp_tensor_desc& input) {
  if (!is_row_major(input)) set_row_major(input);
}

// Output `index` as row-major memory, which is how the API shows weights and their gradients.
void claim_row_major(const Check& check, bp_tensor_desc& output, const char* what) {
  settle(output);
  if (!is_row_major(output)) {
    throw check.unsupported(std::string(what) + " is written row-major only");
  }
}

// Weights are plain at the border and in oneDNN's own order in the kernel.
struct Reorder {
  Reorder(const dnnl::memory::desc& src, const dnnl::memory::desc& dst) {
    if (src == dst) return;
    const dnnl::reorder::primitive_desc description(cpu_engine(), src, cpu_engine(), dst,
                                                    caller_owns_scratchpad());
    scratchpad_bytes = description.scratchpad_desc().get_size();
    primitive = Primitive(dnnl::reorder(description),
                          {{DNNL_ARG_FROM, src},
                           {DNNL_ARG_TO, dst},
                           {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()}});
  }
  explicit operator bool() const { return static_cast<bool>(primitive); }

  Primitive primitive;
  std::uint64_t scratchpad_bytes = 0;
};

// y = bias where nothing is summed, for want of an input with elements.
std::unique_ptr<plugin::Plan> plan_bias_only(plugin::Request& request) {
  const bp_tensor_desc& y = request.outputs[0];
  bp_tensor_desc bias = y;
  set_row_major(bias);
  for (std::uint32_t axis = 0; axis < bias.rank; ++axis) bias.strides[axis] = axis == 1 ? 1 : 0;
  request.implementation = "fill";
  return make_plan(request, [nest = Nest({&y, &bias}), threads = request.threads,
                             has_bias = request.inputs.size() == 3](const plugin::HostRun& run) {
    static constexpr std::uint32_t zero = 0;
    const auto* src = has_bias ? run.input<std::uint32_t>(2) : &zero;
    auto* dst = run.output<std::uint32_t>(0);
    nest.run(threads, [&](cpu::Plane plane, Nest::Steps at) {
      if (!has_bias) at[1] = {0, 0, 0};
      cpu::copy(plane, strided(src, at[1]), strided(dst, at[0]));
    });
  });
}

// All outputs that aren't added to become zero.
std::unique_ptr<plugin::Plan> plan_zeros(plugin::Request& request) {
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const bool kept = (request.adds_to >> i & 1) != 0;
    bytes.push_back(kept ? 0 : 4 * static_cast<std::uint64_t>(element_count(request.outputs[i])));
  }
  request.implementation = "fill";
  return make_plan(request, [bytes](const plugin::HostRun& run) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != 0) std::memset(run.output(i), 0, bytes[i]);
    }
  });
}

// Adds a finished gradient to what is there.
void accumulate(const float* src, float* dst, std::int64_t count) {
  cpu::add(cpu::Plane{1, count}, cpu::Strided<const float>{dst, 0, 1},
           cpu::Strided<const float>{src, 0, 1}, cpu::Strided<float>{dst, 0, 1});
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2d& op, plugin::Request& request) {
  const Check check(op::row_of<op::Conv2d>, request);
  check.inputs(2, 3);
  check.outputs(1, 1);
  bp_tensor_desc &input = request.inputs[0], &weight = request.inputs[1], &y = request.outputs[0];
  const Convolution convolution(check, op, input, weight, y);
  const bool has_bias = request.inputs.size() == 3;
  if (has_bias) {
    check.dtype(request.inputs[2], "bias", {BP_F32});
    check.dims(request.inputs[2], "bias", {y.dims[1]});
    want_row_major(request.inputs[2]);
  }
  if (!has_elements(y) || !has_elements(input)) {
    settle(y);
    return plan_bias_only(request);
  }
  want_row_major(weight);

  using Description = dnnl::convolution_forward::primitive_desc;
  const VendorTeam team(request.threads);
  const auto make = [&](const ConvolutionLayouts& layouts) {
    const auto bias = has_bias ? convolution.bias() : dnnl::memory::desc();
    return Description(
        {dnnl::prop_kind::forward_training, convolution_algorithm, layouts.input_memory,
         convolution.any_weight(), bias, layouts.output_memory, convolution.stride,
         convolution.dilation, convolution.padding_begin, convolution.padding_end},
        caller_owns_scratchpad(), cpu_engine());
  };
  const auto [layouts, description] = choose<Description>(
      check, candidate_layouts(convolution, input, y, {.output = y.layout != BP_LAYOUT_ANY}, false),
      make);
  want(input, layouts.input);
  y = layouts.output;
  request.implementation = description.impl_info_str();

  WorkspaceLayout workspace;
  const Reorder reorder(convolution.plain_weight(), description.weights_desc());
  const auto weight_at = workspace.add(reorder ? description.weights_desc().get_size() : 0);
  const auto scratchpad_at = workspace.add(
      std::max<std::uint64_t>(reorder.scratchpad_bytes, description.scratchpad_desc().get_size()));
  request.workspace_bytes = workspace.bytes();
  const Primitive forward(dnnl::convolution_forward(description),
                          {{DNNL_ARG_SRC, description.src_desc()},
                           {DNNL_ARG_WEIGHTS, description.weights_desc()},
                           {DNNL_ARG_DST, description.dst_desc()},
                           {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()},
                           {DNNL_ARG_BIAS, description.bias_desc()}});
  return make_plan(request, [=, threads = request.threads](const plugin::HostRun& run) {
    const VendorTeam team(threads);
    char* scratchpad = run.workspace() + scratchpad_at;
    auto* plain = const_cast<char*>(run.input(1));
    char* ordered = reorder ? run.workspace() + weight_at : plain;
    if (reorder) reorder.primitive.execute({plain, ordered, scratchpad});
    forward.execute({const_cast<char*>(run.input(0)), ordered, run.output(0), scratchpad,
                     const_cast<char*>(run.input(2))});
  });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2dBackwardData& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Conv2dBackwardData>, request);
  check.inputs(2, 2);
  check.outputs(1, 1);
  bp_tensor_desc &dy = request.inputs[0], &weight = request.inputs[1], &dx = request.outputs[0];
  const Convolution convolution(check, op, dx, weight, dy);
  if (!has_elements(dy) || !has_elements(dx)) {
    claim_row_major(check, dx, "dx");
    return plan_zeros(request);
  }
  want_row_major(weight);

  using Description = dnnl::convolution_backward_data::primitive_desc;
  const VendorTeam team(request.threads);
  const auto make = [&](const ConvolutionLayouts& layouts) {
    const dnnl::convolution_forward::primitive_desc hint(
        {dnnl::prop_kind::forward_training, convolution_algorithm, layouts.input_memory,
         convolution.any_weight(), layouts.output_memory, convolution.stride, convolution.dilation,
         convolution.padding_begin, convolution.padding_end},
        cpu_engine());
    return Description({convolution_algorithm, layouts.input_memory, convolution.any_weight(),
                        layouts.output_memory, convolution.stride, convolution.dilation,
                        convolution.padding_begin, convolution.padding_end},
                       caller_owns_scratchpad(), cpu_engine(), hint);
  };
  const auto [layouts, description] = choose<Description>(
      check, candidate_layouts(convolution, dx, dy, {.input = dx.layout != BP_LAYOUT_ANY}, true),
      make);
  want(dy, layouts.output);
  dx = layouts.input;
  request.implementation = description.impl_info_str();

  WorkspaceLayout workspace;
  const Reorder reorder(convolution.plain_weight(), description.weights_desc());
  const auto weight_at = workspace.add(reorder ? description.weights_desc().get_size() : 0);
  const auto scratchpad_at = workspace.add(
      std::max<std::uint64_t>(reorder.scratchpad_bytes, description.scratchpad_desc().get_size()));
  request.workspace_bytes = workspace.bytes();
  const Primitive backward(dnnl::convolution_backward_data(description),
                           {{DNNL_ARG_DIFF_DST, description.diff_dst_desc()},
                            {DNNL_ARG_WEIGHTS, description.weights_desc()},
                            {DNNL_ARG_DIFF_SRC, description.diff_src_desc()},
                            {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()}});
  return make_plan(request, [=, threads = request.threads](const plugin::HostRun& run) {
    const VendorTeam team(threads);
    char* scratchpad = run.workspace() + scratchpad_at;
    auto* plain = const_cast<char*>(run.input(1));
    char* ordered = reorder ? run.workspace() + weight_at : plain;
    if (reorder) reorder.primitive.execute({plain, ordered, scratchpad});
    backward.execute({const_cast<char*>(run.input(0)), ordered, run.output(0), scratchpad});
  });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Conv2dBackwardWeight& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Conv2dBackwardWeight>, request);
  check.inputs(2, 2);
  check.outputs(1, 2);
  bp_tensor_desc &input = request.inputs[0], &dy = request.inputs[1];
  bp_tensor_desc& dweight = request.outputs[0];
  const Convolution convolution(check, op, input, dweight, dy);
  claim_row_major(check, dweight, "dweight");
  const bool has_bias = request.outputs.size() == 2;
  if (has_bias) {
    check.dtype(request.outputs[1], "dbias", {BP_F32});
    check.dims(request.outputs[1], "dbias", {dy.dims[1]});
    claim_row_major(check, request.outputs[1], "dbias");
  }
  if (!has_elements(dy)) return plan_zeros(request);
  if (!has_elements(input)) throw check.unsupported("an input without elements");

  using Description = dnnl::convolution_backward_weights::primitive_desc;
  const VendorTeam team(request.threads);
  const auto bias = has_bias ? convolution.bias() : dnnl::memory::desc();
  const auto make = [&](const ConvolutionLayouts& layouts) {
    const dnnl::convolution_forward::primitive_desc hint(
        {dnnl::prop_kind::forward_training, convolution_algorithm, layouts.input_memory,
         convolution.any_weight(), layouts.output_memory, convolution.stride, convolution.dilation,
         convolution.padding_begin, convolution.padding_end},
        cpu_engine());
    return Description({convolution_algorithm, layouts.input_memory, convolution.any_weight(), bias,
                        layouts.output_memory, convolution.stride, convolution.dilation,
                        convolution.padding_begin, convolution.padding_end},
                       caller_owns_scratchpad(), cpu_engine(), hint);
  };
  const auto [layouts, description] =
      choose<Description>(check, candidate_layouts(convolution, input, dy, {}, false), make);
  want(input, layouts.input);
  want(dy, layouts.output);
  request.implementation = description.impl_info_str();

  const bool adds_weight = (request.adds_to & 1) != 0, adds_bias = (request.adds_to & 2) != 0;
  const std::int64_t weight_count = element_count(dweight), bias_count = dy.dims[1];
  WorkspaceLayout workspace;
  const Reorder reorder(description.diff_weights_desc(), convolution.plain_weight());
  const auto ordered_at = workspace.add(reorder ? description.diff_weights_desc().get_size() : 0);
  const auto weight_at = workspace.add(adds_weight ? weight_count * sizeof(float) : 0);
  const auto bias_at = workspace.add(adds_bias ? bias_count * sizeof(float) : 0);
  const auto scratchpad_at = workspace.add(
      std::max<std::uint64_t>(reorder.scratchpad_bytes, description.scratchpad_desc().get_size()));
  request.workspace_bytes = workspace.bytes();
  const Primitive backward(dnnl::convolution_backward_weights(description),
                           {{DNNL_ARG_SRC, description.src_desc()},
                            {DNNL_ARG_DIFF_DST, description.diff_dst_desc()},
                            {DNNL_ARG_DIFF_WEIGHTS, description.diff_weights_desc()},
                            {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()},
                            {DNNL_ARG_DIFF_BIAS, description.diff_bias_desc()}});
  return make_plan(request, [=, threads = request.threads](const plugin::HostRun& run) {
    const VendorTeam team(threads);
    char *space = run.workspace(), *scratchpad = space + scratchpad_at;
    char* weight = adds_weight ? space + weight_at : run.output(0);
    char* bias = adds_bias ? space + bias_at : run.output(1);
    char* ordered = reorder ? space + ordered_at : weight;
    backward.execute({const_cast<char*>(run.input(0)), const_cast<char*>(run.input(1)), ordered,
                      scratchpad, bias});
    if (reorder) reorder.primitive.execute({ordered, weight, scratchpad});
    if (adds_weight) {
      accumulate(reinterpret_cast<float*>(weight), run.output<float>(0), weight_count);
    }
    if (adds_bias) accumulate(reinterpret_cast<float*>(bias), run.output<float>(1), bias_count);
  });
}

}  // namespace backplane::onednn
