// Matrix products of which one dim is small. oneDNN puts the operands of such a product in order
// first, which costs more than the product.
#include "thin_product.hpp"

#include "cpu/thin_product.h"
#include "layout.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace backplane::onednn {
namespace {

// Up to this size a dim counts as small: about a vector of AVX-512.
constexpr std::int64_t thin = 16;

using Kernel = void (*)(const cpu::ThinProduct&);

Kernel kernel_for(const cpu::ThinProduct& p) {
  if (p.a_stride == 1 && p.b_row_stride == 1 && p.columns <= thin) return cpu::dot_product;
  if (p.b_stride == 1 && p.inner <= thin) return cpu::row_product;
  return nullptr;
}

cpu::ThinProduct describe_product(const plugin::Request& request) {
  const bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1], &y = request.outputs[0];
  return {.rows = y.dims[0],
          .columns = y.dims[1],
          .inner = a.dims[1],
          .a = nullptr,
          .a_row_stride = a.strides[0],
          .a_stride = a.strides[1],
          .b = nullptr,
          .b_row_stride = b.strides[0],
          .b_stride = b.strides[1],
          .bias = nullptr,
          .y = nullptr,
          .y_row_stride = y.strides[0],
          .adds = (request.adds_to & 1) != 0};
}

}  // namespace

std::unique_ptr<plugin::Plan> plan_thin_product(plugin::Request& request) {
  for (const auto& operands : {request.inputs, request.outputs}) {
    for (const bp_tensor_desc& operand : operands) {
      if (operand.dtype != BP_F32) return nullptr;
    }
  }
  if (request.outputs[0].rank != 2) return nullptr;
  const cpu::ThinProduct whole = describe_product(request);
  const Kernel kernel = kernel_for(whole);
  if (kernel == nullptr) return nullptr;
  request.implementation =
      kernel == cpu::dot_product ? "vectors of dot products" : "vectors of rows";
  const std::uint32_t threads =
      team_for_products(whole.rows * whole.columns * whole.inner, request.threads);
  // A share of the rows each; where there are fewer of them than threads, of the columns.
  const bool by_rows = whole.rows >= threads;
  return make_plan(request, [whole, kernel, threads, by_rows](const plugin::HostRun& run) {
    in_parallel(threads, [&](unsigned part) {
      const Share mine = share_of(by_rows ? whole.rows : whole.columns, part, threads);
      cpu::ThinProduct p = whole;
      p.a = run.input<float>(0) + (by_rows ? mine.begin * whole.a_row_stride : 0);
      p.b = run.input<float>(1) + (by_rows ? 0 : mine.begin * whole.b_stride);
      p.bias = run.input<float>(2);
      p.y = run.output<float>(0) + mine.begin * (by_rows ? whole.y_row_stride : 1);
      if (!by_rows && p.bias != nullptr) p.bias += mine.begin;
      (by_rows ? p.rows : p.columns) = mine.end - mine.begin;
      kernel(p);
    });
  });
}

}  // namespace backplane::onednn
