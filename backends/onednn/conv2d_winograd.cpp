// Plans by Winograd's algorithm. Results don't depend on how the work is shared out.
#include "cpu/winograd.h"

#include "own_convolution.hpp"
#include "plan.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

// Where the operands of a run lie.
struct Operands {
  const float *src, *bias, *mask;
  float* dst;
  std::uint8_t* winners;
};

// A plan's constants, and the share of a thread.
struct WinogradBody {
  ConvolutionForm form;
  cpu::WinogradTile tile;
  unsigned parts;
  bool prepares;
  std::uint64_t packed_at, scratch_at, scratch_bytes;

  [[nodiscard]] cpu::WinogradWeight weight_of(const plugin::HostRun& run) const {
    const auto* weight = run.input<float>(1);
    const cpu::ConvShape& shape = form.shape;
    return form.backward_data
               ? cpu::winograd_weight_of_backward_data(weight, shape.channels, shape.outputs)
               : cpu::winograd_weight(weight, shape.outputs, shape.channels);
  }

  void pack(const plugin::HostRun& run, float* packed) const {
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(form.shape.outputs, part, parts);
      cpu::winograd_pack(tile, weight_of(run), mine.begin, mine.end, packed);
    });
  }

  void operator()(const plugin::HostRun& run) const {
    auto* packed = reinterpret_cast<float*>(run.workspace() + packed_at);
    if (prepares) packed = run.prepared<float>();
    if (!prepares) pack(run, packed);
    std::size_t next = 2;
    Operands operands{};
    operands.src = run.input<float>(0);
    if (form.has_bias) operands.bias = run.input<float>(next++);
    if (form.has_mask) operands.mask = run.input<float>(next);
    operands.dst = run.output<float>(0);
    if (form.pool > 1) operands.winners = run.output<std::uint8_t>(1);
    share_convolution(form.shape, parts, [&](unsigned part, Share images, Share outputs) {
      convolve(operands, images, outputs, packed,
               run.workspace() + scratch_at + part * scratch_bytes);
    });
  }

  void convolve(const Operands& operands, Share images, Share outputs, const float* packed,
                char* scratch) const {
    cpu::ConvShape share = form.shape;
    share.images = images.end - images.begin;
    share.outputs = outputs.end - outputs.begin;
    const std::int64_t plane = (share.out_height() / form.pool) * (share.out_width() / form.pool);
    const std::int64_t first = images.begin * form.shape.outputs + outputs.begin;
    const auto step = static_cast<std::int64_t>(
        cpu::winograd_packed_bytes(tile, 1, share.channels) / sizeof(float));
    cpu::ConvEpilogue epilogue{.relu = form.relu, .pool = form.pool};
    if (operands.bias != nullptr) epilogue.bias = operands.bias + outputs.begin;
    if (operands.mask != nullptr) epilogue.mask = operands.mask + first;
    if (operands.winners != nullptr) epilogue.winners = operands.winners + first * plane;
    cpu::winograd(tile, share,
                  operands.src + images.begin * share.channels * share.height * share.width,
                  packed + outputs.begin * step, epilogue, operands.dst + first * plane, scratch);
  }
};

}  // namespace

std::unique_ptr<plugin::Plan> plan_winograd(plugin::Request& request, const ConvolutionForm& form,
                                            cpu::WinogradTile tile, unsigned parts) {
  const std::uint64_t packed_bytes =
      cpu::winograd_packed_bytes(tile, form.shape.outputs, form.shape.channels);
  const bool prepares = request.keeps(1);
  if (prepares) request.prepared_bytes = packed_bytes;
  WorkspaceLayout workspace;
  const std::uint64_t packed_at = workspace.add(prepares ? 0 : packed_bytes);
  const std::uint64_t scratch_bytes = aligned(cpu::winograd_workspace_bytes(tile, form.shape));
  const std::uint64_t scratch_at = workspace.add(parts * scratch_bytes);
  request.workspace_bytes = workspace.bytes();
  const WinogradBody body{form, tile, parts, prepares, packed_at, scratch_at, scratch_bytes};
  return make_plan(request, body,
                   [body](const plugin::HostRun& run) { body.pack(run, run.prepared<float>()); });
}

}  // namespace backplane::onednn
