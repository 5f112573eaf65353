// dropout: each element stays, scaled, or becomes +0.
#include "dropout.hpp"

#include <cmath>

#include "backend.hpp"
#include "cpu/dropout.h"
#include "draw.hpp"
#include "elementwise.hpp"
#include "layout.hpp"
#include "nest.hpp"
#include "plan.hpp"

namespace backplane::onednn {
namespace {

// Parts begin at whole pieces of this many elements, so that each starts with a fresh block.
constexpr std::int64_t piece = 1024;

// Samples and elements that lie one after the other: drawn and applied in one pass.
std::unique_ptr<plugin::Plan> plan_fused(plugin::Request& request, std::int64_t samples,
                                         const Probability& probability) {
  const std::int64_t size = samples == 0 ? 0 : element_count(request.outputs[0]) / samples;
  const std::int64_t pieces = (size + piece - 1) / piece;
  const unsigned parts = parts_for(samples * size, request.threads);
  request.implementation = "vector loop";
  return make_plan(request, [=](const plugin::HostRun& run) {
    const auto scalars = plugin::read_scalars<op::Dropout>(run.run);
    const float* src = run.input<float>(0);
    float* dst = run.output<float>(0);
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(samples * pieces, part, parts);
      for (std::int64_t at = mine.begin; at < mine.end; ++at) {
        const std::int64_t sample = at / pieces, begin = at % pieces * piece;
        const std::int64_t offset = sample * size + begin;
        const cpu::DropoutDraw draw{stream_of(scalars, begin, sample), probability.threshold, begin,
                                    std::min(piece, size - begin)};
        cpu::dropout(draw, probability.divisor, src + offset, dst + offset);
      }
    });
  });
}

}  // namespace

Probability::Probability(const Check& check, float p)
    : threshold(static_cast<std::uint32_t>(std::ceil(static_cast<double>(p) * 0x1p24))),
      divisor(1.0f - p) {
  check.that(p >= 0 && p <= 1, "p lies in [0, 1], it is " + std::to_string(p));
}

void check_dropout(const Check& check, const plugin::Request& request) {
  check.inputs(1, 1);
  check.outputs(1, 1);
  check.dtype(request.inputs[0], "x", {BP_F32});
  check.dtype(request.outputs[0], "y", {BP_F32});
  check.same_dims(request.inputs[0], "x", request.outputs[0]);
}

void draw_mask(const op::PhiloxScalars& draw, std::uint32_t threshold, std::int64_t sample,
               std::int64_t begin, std::int64_t end, std::uint8_t* mask) {
  for_each_stream(begin, end, [&](std::int64_t first, std::int64_t count) {
    cpu::dropout_mask({stream_of(draw, first, sample), threshold, first, count},
                      mask + (first - begin));
  });
}

std::unique_ptr<plugin::Plan> plan_masked(plugin::Request& request, const bp_tensor_desc& mask,
                                          const Probability& probability) {
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const std::int64_t samples = mask.dims[0];
  const std::int64_t size = samples == 0 ? 0 : element_count(mask) / samples;
  const std::int64_t pieces = (size + piece - 1) / piece;
  const unsigned parts = parts_for(samples * size, request.threads);
  request.workspace_bytes = static_cast<std::uint64_t>(samples * size);
  request.implementation = "mask, then vector loop";
  return make_plan(request, [=, nest = Nest({&y, &x, &mask}),
                             threads = request.threads](const plugin::HostRun& run) {
    const auto scalars = plugin::read_scalars<op::Dropout>(run.run);
    auto* drawn = run.workspace<std::uint8_t>();
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(samples * pieces, part, parts);
      for (std::int64_t at = mine.begin; at < mine.end; ++at) {
        const std::int64_t sample = at / pieces, begin = at % pieces * piece;
        draw_mask(scalars, probability.threshold, sample, begin, std::min(size, begin + piece),
                  drawn + sample * size + begin);
      }
    });
    nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
      cpu::apply_mask(plane, probability.divisor, strided(run.input<float>(0), at[1]),
                      strided<const std::uint8_t>(drawn, at[2]),
                      strided(run.output<float>(0), at[0]));
    });
  });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Dropout& op, plugin::Request& request) {
  const Check check(op::row_of<op::Dropout>, request);
  check_dropout(check, request);
  const Probability probability(check, op.p);
  settle_elementwise(request);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const std::int64_t samples = y.rank == 0 ? 1 : y.dims[0];
  if (is_row_major(x) && is_row_major(y)) return plan_fused(request, samples, probability);
  bp_tensor_desc mask = y;
  mask.dtype = BP_U8;
  set_row_major(mask);
  return plan_masked(request, mask, probability);
}

}  // namespace backplane::onednn
