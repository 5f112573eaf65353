// Winograd's convolutions, shared out by images, or by outputs where there are fewer images than
// threads. Results don't depend on the shares.
#include "conv2d_winograd.hpp"

#include <algorithm>

#include "cpu/conv_cost.h"
#include "cpu/winograd.h"
#include "layout.hpp"
#include "parallel.hpp"
#include "plan.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

using cpu::ConvAlgorithm;

// A copy of tensors into another layout, in cycles for an element.
constexpr double cycles_to_reorder = 0.9;

std::int64_t products_of(const cpu::ConvShape& shape) {
  return shape.images * shape.outputs * shape.out_height() * shape.out_width() * shape.channels * 9;
}

bool are_rows(std::span<const bp_tensor_desc> outputs) {
  return std::ranges::all_of(outputs, [](const bp_tensor_desc& output) {
    return output.layout == BP_LAYOUT_ANY || is_row_major(output);
  });
}

// The cheapest for the largest share of a thread; library where no tile pays.
ConvAlgorithm choose_algorithm(const plugin::Request& request, const WinogradForm& form,
                               unsigned parts) {
  cpu::ConvQuestion question{.shape = form.shape,
                             .lanes = cpu::vector_lanes(),
                             .strict = request.strict,
                             .pool = form.pool,
                             .prepared = request.keeps(1)};
  question.shape.images = (form.shape.images + parts - 1) / parts;
  const cpu::ConvCosts costs = cpu::conv_costs(question);
  question.pool = 1;
  double library = cpu::conv_costs(question).of(ConvAlgorithm::library);
  double rows = 0;
  const std::int64_t block = native_block();
  const bool blocks =
      block != 0 && form.shape.channels % block == 0 && form.shape.outputs % block == 0;
  const double reorder = cycles_to_reorder * static_cast<double>(element_count(request.inputs[0])) /
                         static_cast<double>(parts);
  if (!is_row_major(request.inputs[0])) rows = reorder;
  if (is_row_major(request.inputs[0]) && blocks) library += reorder;
  const double four = costs.of(ConvAlgorithm::winograd_4) + rows;
  const double six = costs.of(ConvAlgorithm::winograd_6) + rows;
  if (std::min(four, six) >= library) return ConvAlgorithm::library;
  return four < six ? ConvAlgorithm::winograd_4 : ConvAlgorithm::winograd_6;
}

// Where the operands of a run lie.
struct Operands {
  const float *src, *bias, *mask;
  float* dst;
  std::uint8_t* winners;
};

// A plan's constants, and the share of a thread.
struct WinogradBody {
  WinogradForm form;
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
    in_parallel(parts, [&](unsigned part) {
      char* scratch = run.workspace() + scratch_at + part * scratch_bytes;
      if (form.shape.images >= parts) {
        const Share mine = share_of(form.shape.images, part, parts);
        convolve(operands, mine, {0, form.shape.outputs}, packed, scratch);
        return;
      }
      const Share mine = share_of(form.shape.outputs, part, parts);
      for (std::int64_t image = 0; image < form.shape.images; ++image) {
        convolve(operands, {image, image + 1}, mine, packed, scratch);
      }
    });
  }

  // All outputs of some images, or some outputs of one image: both lie side by side.
  void convolve(const Operands& operands, Share images, Share outputs, const float* packed,
                char* scratch) const {
    cpu::ConvShape share = form.shape;
    share.images = images.end - images.begin;
    share.outputs = outputs.end - outputs.begin;
    if (share.images == 0 || share.outputs == 0) return;
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

std::unique_ptr<plugin::Plan> plan_winograd(plugin::Request& request, const WinogradForm& form) {
  if (request.adds_to != 0 || !cpu::winograd_computes(form.shape)) return nullptr;
  if (element_count(request.outputs[0]) == 0 || element_count(request.inputs[0]) == 0) {
    return nullptr;
  }
  const auto is_f32 = [](const bp_tensor_desc& input) { return input.dtype == BP_F32; };
  if (!are_rows(request.outputs) || !std::ranges::all_of(request.inputs, is_f32)) return nullptr;
  const unsigned parts = team_for_products(products_of(form.shape), request.threads);
  const ConvAlgorithm algorithm = choose_algorithm(request, form, parts);
  if (algorithm == ConvAlgorithm::library) return nullptr;

  for (bp_tensor_desc& input : request.inputs) {
    if (!is_row_major(input)) set_row_major(input);
  }
  for (bp_tensor_desc& output : request.outputs) {
    if (output.layout == BP_LAYOUT_ANY) set_row_major(output);
  }
  request.implementation = cpu::name_of(algorithm);
  const auto tile =
      algorithm == ConvAlgorithm::winograd_4 ? cpu::WinogradTile::four : cpu::WinogradTile::six;
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
