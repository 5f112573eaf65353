// The choice between kernels of our own and the vendor's library.
#include "own_convolution.hpp"

#include <algorithm>
#include <limits>

#include "cpu/conv_cost.h"
#include "layout.hpp"

namespace backplane::onednn {
namespace {

using cpu::ConvAlgorithm;

double reorder(const bp_tensor_desc& desc) {
  return cycles_to_reorder * static_cast<double>(element_count(desc));
}

std::int64_t products_of(const cpu::ConvShape& shape) {
  return shape.images * shape.outputs * shape.out_height() * shape.out_width() *
         (shape.channels / shape.groups) * shape.kernel[0] * shape.kernel[1];
}

// Tensors that our kernels read and can write: f32, in rows, with elements.
bool can_compute(const plugin::Request& request) {
  const auto is_f32 = [](const bp_tensor_desc& desc) { return desc.dtype == BP_F32; };
  const auto has_elements = [](const bp_tensor_desc& desc) { return element_count(desc) != 0; };
  return std::ranges::all_of(request.inputs, is_f32) && is_f32(request.outputs[0]) &&
         std::ranges::all_of(request.outputs, can_be_row_major) &&
         std::ranges::all_of(request.inputs, has_elements) && has_elements(request.outputs[0]);
}

// Whether the library would want blocks of so many channels.
bool blocks(std::int64_t channels, std::int64_t groups) {
  const std::int64_t block = native_block();
  return block != 0 && channels / groups % block == 0;
}

// The largest share of a thread.
cpu::ConvQuestion question_of(const plugin::Request& request, const cpu::ConvShape& shape,
                              unsigned parts) {
  cpu::ConvQuestion question{
      .shape = shape, .lanes = cpu::vector_lanes(), .strict = request.strict};
  question.shape.images = (shape.images + parts - 1) / parts;
  return question;
}

// Where rows and blocks meet, somebody copies. At the standard level tensors are rows unless a
// library's convolution makes them something else, so that a copy of its output is to come.
ConvAlgorithm choose_algorithm(const plugin::Request& request, const ConvolutionForm& form,
                               unsigned parts) {
  cpu::ConvQuestion question = question_of(request, form.shape, parts);
  question.prepared = request.keeps(1);
  double library = cpu::conv_costs(question).of(ConvAlgorithm::library);
  question.pool = form.pool;
  cpu::ConvCosts costs = cpu::conv_costs(question);

  const bp_tensor_desc &src = request.inputs[0], &dst = request.outputs[0];
  const bool src_blocks = blocks(form.shape.channels, form.shape.groups);
  const bool dst_blocks = blocks(form.shape.outputs, form.shape.groups);
  const bool library_blocks = dst_blocks && (src_blocks || form.shape.channels <= 3);
  double rows = 0;
  if (!is_row_major(src)) rows += reorder(src);
  if (is_row_major(src) && library_blocks && src_blocks) library += reorder(src) / parts;
  if (!request.strict && library_blocks && dst.layout == BP_LAYOUT_ANY) {
    library += reorder(dst) / parts;
  }
  for (double& cycles : costs.cycles) cycles += rows / parts;
  costs.cycles[static_cast<std::size_t>(ConvAlgorithm::library)] = library;
  const bool direct = form.pool == 1 && !form.has_mask && !form.backward_data;
  if (!direct) {
    costs.cycles[static_cast<std::size_t>(ConvAlgorithm::direct)] =
        std::numeric_limits<double>::infinity();
  }
  return costs.best();
}

}  // namespace

std::unique_ptr<plugin::Plan> plan_own_convolution(plugin::Request& request,
                                                   const ConvolutionForm& form) {
  if (!can_compute(request)) return nullptr;
  // The outputs of one image are shared out only where they all read the same channels.
  const std::int64_t most = form.shape.groups == 1 ? request.threads : form.shape.images;
  const unsigned parts =
      team_for_products(products_of(form.shape),
                        static_cast<std::uint32_t>(std::min<std::int64_t>(request.threads, most)));
  const ConvAlgorithm algorithm = choose_algorithm(request, form, parts);
  if (algorithm == ConvAlgorithm::library) return nullptr;
  make_row_major(request.inputs);
  make_row_major(request.outputs);
  request.implementation = cpu::name_of(algorithm);
  switch (algorithm) {
    case ConvAlgorithm::winograd_4:
      return plan_winograd(request, form, cpu::WinogradTile::four, parts);
    case ConvAlgorithm::winograd_6:
      return plan_winograd(request, form, cpu::WinogradTile::six, parts);
    default:
      return plan_direct(request, form, parts);
  }
}

std::unique_ptr<plugin::Plan> plan_own_weight_gradient(plugin::Request& request,
                                                       const cpu::ConvShape& shape) {
  if (!can_compute(request)) return nullptr;
  const auto most =
      static_cast<std::uint32_t>(std::min<std::int64_t>(shape.images, request.threads));
  const unsigned parts = team_for_products(products_of(shape), most);
  const cpu::ConvQuestion question = question_of(request, shape, parts);
  double library = cpu::conv_costs(question).of(ConvAlgorithm::library);
  double direct = cpu::direct_backward_weight_cycles(question);
  const bool src_blocks = blocks(shape.channels, shape.groups);
  const bool library_blocks =
      blocks(shape.outputs, shape.groups) && (src_blocks || shape.channels <= 3);
  for (const bp_tensor_desc* input : {&request.inputs[0], &request.inputs[1]}) {
    const bool blocked = library_blocks && (input == &request.inputs[1] || src_blocks);
    if (!is_row_major(*input)) direct += reorder(*input) / parts;
    if (is_row_major(*input) && blocked) library += reorder(*input) / parts;
  }
  if (direct >= library) return nullptr;
  make_row_major(request.inputs);
  make_row_major(request.outputs);
  request.implementation = cpu::name_of(ConvAlgorithm::direct);
  return plan_direct_weight_gradient(request, shape, parts);
}

}  // namespace backplane::onednn
