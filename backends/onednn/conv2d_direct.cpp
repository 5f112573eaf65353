// Plans by direct sums of our own: for convolutions of few channels, whose results are rows.
#include "cpu/direct_conv.h"

#include "cpu/conv_cost.h"
#include "layout.hpp"
#include "own_convolution.hpp"
#include "plan.hpp"
#include "primitive.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> plan_direct(plugin::Request& request, const ConvolutionForm& form,
                                          unsigned parts) {
  const cpu::ConvShape& shape = form.shape;
  const std::uint64_t scratch_bytes = aligned(cpu::direct_conv_workspace_bytes(shape));
  request.workspace_bytes = parts * scratch_bytes;
  return make_plan(request, [form, parts, scratch_bytes](const plugin::HostRun& run) {
    const cpu::ConvShape& whole = form.shape;
    const std::int64_t taps = whole.channels / whole.groups * whole.kernel[0] * whole.kernel[1];
    const float* bias = form.has_bias ? run.input<float>(2) : nullptr;
    share_convolution(whole, parts, [&](unsigned part, Share images, Share outputs) {
      cpu::ConvShape share = whole;
      share.images = images.end - images.begin;
      share.outputs = outputs.end - outputs.begin;
      const std::int64_t first = images.begin * whole.outputs + outputs.begin;
      cpu::direct_conv(
          share, run.input<float>(0) + images.begin * whole.channels * whole.height * whole.width,
          run.input<float>(1) + outputs.begin * taps,
          {.bias = bias == nullptr ? nullptr : bias + outputs.begin, .relu = form.relu},
          run.output<float>(0) + first * whole.out_height() * whole.out_width(),
          run.workspace() + part * scratch_bytes);
    });
  });
}

namespace {

// Each part sums up its images into memory of its own; the sums are added in the order of parts.
struct WeightGradient {
  cpu::ConvShape shape;
  unsigned parts;
  bool adds_weight = false, adds_bias = false, has_bias = false;
  std::int64_t weights = 0;
  std::uint64_t scratch_bytes = 0, sums_at = 0, sums_bytes = 0;

  void operator()(const plugin::HostRun& run) const {
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(shape.images, part, parts);
      cpu::ConvShape share = shape;
      share.images = mine.end - mine.begin;
      const std::int64_t image = shape.channels * shape.height * shape.width;
      const std::int64_t places = shape.outputs * shape.out_height() * shape.out_width();
      cpu::direct_conv_backward_weight(share, run.input<float>(0) + mine.begin * image,
                                       run.input<float>(1) + mine.begin * places, false,
                                       sums_of(run, part),
                                       has_bias ? sums_of(run, part) + weights : nullptr,
                                       run.workspace() + part * scratch_bytes);
    });
    collect(run, 0, weights, adds_weight, run.output<float>(0));
    if (has_bias) collect(run, weights, shape.outputs, adds_bias, run.output<float>(1));
  }

  [[nodiscard]] float* sums_of(const plugin::HostRun& run, unsigned part) const {
    return reinterpret_cast<float*>(run.workspace() + sums_at + part * sums_bytes);
  }

  void collect(const plugin::HostRun& run, std::int64_t from, std::int64_t count, bool adds,
               float* dst) const {
    for (std::int64_t i = 0; i < count; ++i) {
      float sum = sums_of(run, 0)[from + i];
      for (unsigned part = 1; part < parts; ++part) sum += sums_of(run, part)[from + i];
      dst[i] = adds ? dst[i] + sum : sum;
    }
  }
};

}  // namespace

std::unique_ptr<plugin::Plan> plan_direct_weight_gradient(plugin::Request& request,
                                                          const cpu::ConvShape& shape,
                                                          unsigned parts) {
  WeightGradient body{.shape = shape, .parts = parts};
  body.adds_weight = (request.adds_to & 1) != 0;
  body.adds_bias = (request.adds_to & 2) != 0;
  body.has_bias = request.outputs.size() == 2;
  body.weights = element_count(request.outputs[0]);
  WorkspaceLayout workspace;
  body.scratch_bytes = aligned(cpu::direct_conv_backward_weight_workspace_bytes(shape));
  workspace.add(parts * body.scratch_bytes);
  body.sums_bytes =
      aligned(static_cast<std::uint64_t>(body.weights + shape.outputs) * sizeof(float));
  body.sums_at = workspace.add(parts * body.sums_bytes);
  request.workspace_bytes = workspace.bytes();
  return make_plan(request, body);
}

}  // namespace backplane::onednn
