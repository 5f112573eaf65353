// Lanes, chunks, and the one or two passes of a reduction.
//
// All of it is a pure function of the shapes, so that the same sum has the same bits on every card.
#include "lines.hpp"

#include <algorithm>
#include <bit>

namespace backplane::card {

i32 lanes_for(i64 length) {
  // Four elements for each work-item at least, or the tree costs more than the line.
  const auto wanted = static_cast<std::uint64_t>(std::max<i64>(length / 4, 1));
  return static_cast<i32>(std::min<std::uint64_t>(std::bit_ceil(wanted), GROUP));
}

Groups line_groups(i64 lines, i32 lanes) {
  const i64 per_group = GROUP / lanes;
  return groups((lines + per_group - 1) / per_group);
}

Groups Lines::grid() const {
  return line_groups(lines.count, lanes);
}

Lines lines_along(const Check& check, std::int32_t axis, Operands operands) {
  const auto rank = static_cast<std::int32_t>((*operands.begin())->rank);
  check.that(0 <= axis && axis < std::max(rank, 1),
             "axis " + std::to_string(axis) + " is not one of rank " + std::to_string(rank));
  const Nest elements = nest_over(1u << axis, operands);
  return {nest_over(~(1u << axis), operands), elements, lanes_for(elements.count)};
}

namespace {

// Pieces of a line, so that a few long lines keep a card busy: each piece is worth a group's time,
// and there is no need for more than `enough` groups.
i64 chunks_for(i64 lines, i64 length) {
  constexpr i64 least_length = 4 * GROUP, enough = 1024;
  if (lines == 0 || lines >= enough) return 1;
  return std::clamp<i64>(length / least_length, 1, enough / lines);
}

// What chunk sums look like to y's walk: one line of `chunks` for each output.
bp_tensor_desc chunk_lines(const bp_tensor_desc& y, std::uint32_t dtype, i64 chunks) {
  bp_tensor_desc lines = y;
  lines.dtype = dtype;
  set_dense_strides(lines);
  for (auto& stride : lines.strides) stride *= chunks;
  return lines;
}

}  // namespace

ChunkedLines::ChunkedLines(plugin::Request& request, std::uint32_t axes, const bp_tensor_desc& x,
                           const bp_tensor_desc& y, std::uint32_t chunk_dtype)
    : first_{nest_over(~axes, {&y, &x}), nest_over(axes, {&x, &x}), y.dtype, x.dtype, 1} {
  first_.chunks = chunks_for(first_.outputs.count, first_.inputs.count);
  if (first_.chunks == 1) return;
  const bp_tensor_desc lines = chunk_lines(y, chunk_dtype, first_.chunks);
  const bp_tensor_desc line = dense(chunk_dtype, {first_.chunks});
  second_ = {nest_over(~axes, {&y, &lines}), nest({&line, &line}), y.dtype, chunk_dtype, 1};
  first_.y_dtype = chunk_dtype;
  const i64 results = first_.outputs.count * first_.chunks;
  scratch_ = reserve(request, static_cast<std::uint64_t>(results * element_bytes(chunk_dtype)));
}

Sum::Sum(plugin::Request& request, std::uint32_t axes, const bp_tensor_desc& x,
         const bp_tensor_desc& y, double divisor)
    : lines_(request, axes, x, y, is_integer(x) ? BP_I64 : BP_F32), divisor_(divisor) {}

void Sum::enqueue(const Call& call, const Memory& dst, const Memory& src, bool adds) const {
  lines_.for_each_pass(
      call, dst, src, [&](const ChunkedLines::Pass& pass, const Memory& to, const Memory& from) {
        const bool last = pass.chunks == 1;
        const auto start = [&](auto which, auto divisor) {
          launch(call.queue, which, pass.grid(), pass.outputs, pass.inputs, to, from, pass.y_dtype,
                 pass.x_dtype, pass.chunks, pass.lanes(), divisor, last && adds);
        };
        if ((integers >> pass.x_dtype & 1) != 0) {
          start(kernel::sum_integer, u64{1});
        } else {
          start(kernel::sum_float, last ? static_cast<float>(divisor_) : 1.0f);
        }
      });
}

}  // namespace backplane::card
