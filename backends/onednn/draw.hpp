// Draws of random numbers: philox.hpp's counters in the form that the vector code takes.
#pragma once

#include "backplane/plugin/ops.hpp"
#include "check.hpp"
#include "cpu/philox.h"
#include "layout.hpp"

namespace backplane::onednn {

// The one output of an operation that only draws, f32 in row-major order, which is the order of the
// draws. Returns its number of elements.
inline std::int64_t claim_drawn_output(const Check& check, plugin::Request& request) {
  check.inputs(0, 0);
  check.outputs(1, 1);
  bp_tensor_desc& y = request.outputs[0];
  check.dtype(y, "y", {BP_F32});
  if (y.layout == BP_LAYOUT_ANY) set_row_major(y);
  if (!is_row_major(y)) throw check.unsupported("y is drawn in row-major order");
  return element_count(y);
}

// The stream for element `first` of a sample, good up to the next multiple of
// philox_elements_per_stream.
[[nodiscard]] inline cpu::PhiloxStream stream_of(const op::PhiloxScalars& draw, std::int64_t first,
                                                 std::int64_t sample) {
  const auto high = static_cast<std::uint32_t>(first / cpu::philox_elements_per_stream);
  return {draw.seed_low, draw.seed_high, draw.first_sample + static_cast<std::uint32_t>(sample),
          draw.step, draw.site + (high << 24)};
}

// Calls draw(first element, count) for pieces of [begin, end) that need one stream each.
template <class Draw>
void for_each_stream(std::int64_t begin, std::int64_t end, const Draw& draw) {
  while (begin < end) {
    const std::int64_t next =
        (begin / cpu::philox_elements_per_stream + 1) * cpu::philox_elements_per_stream;
    const std::int64_t here = next < end ? next : end;
    draw(begin, here - begin);
    begin = here;
  }
}

}  // namespace backplane::onednn
