// Indices are read in row-major order, so that the first wrong one is the one reported.
#include "index.hpp"

#include "rowwise.hpp"

namespace backplane::onednn {

void settle_index(const Check& check, bp_tensor_desc& x, bp_tensor_desc& index, std::int32_t axis) {
  check.dtype(index, "index", {BP_I64});
  check_axis(check, x, axis);
  bp_tensor_desc elsewhere = x;
  if (index.rank == x.rank) elsewhere.dims[axis] = index.dims[axis];
  check.same_dims(index, "index", elsewhere);
  for (bp_tensor_desc* desc : {&x, &index}) {
    if (block_of(*desc) != 0) set_row_major(*desc);
  }
}

void settle_strided(const Check& check, bp_tensor_desc& output) {
  if (output.layout == BP_LAYOUT_ANY) set_row_major(output);
  if (block_of(output) != 0) throw check.unsupported("writes no private layout");
}

RangeCheck::RangeCheck(const bp_tensor_desc& index, std::int64_t limit)
    : once_(index), limit_(limit) {
  for (std::uint32_t axis = 0; axis < once_.rank; ++axis) {
    if (once_.strides[axis] == 0 && once_.dims[axis] != 0) once_.dims[axis] = 1;
  }
}

void RangeCheck::report(const plugin::HostRun& run, std::size_t input) const {
  const std::int64_t count = element_count(once_);
  const std::uint32_t last = once_.rank - 1;  // an axis is given, so there is one
  const auto* index = run.input<std::int64_t>(input);
  std::int64_t place[BP_MAX_RANK] = {}, offset = 0;
  for (std::int64_t i = 0; i < count;) {
    for (std::int64_t j = 0; j < once_.dims[last]; ++j, ++i) {
      const std::int64_t value = index[offset + j * once_.strides[last]];
      if (0 <= value && value < limit_) continue;
      run.faults.report(run.run.sequence, i, value, limit_);
      return;
    }
    for (std::uint32_t axis = last; axis-- > 0;) {
      offset += once_.strides[axis];
      if (++place[axis] < once_.dims[axis]) break;
      offset -= once_.dims[axis] * once_.strides[axis];
      place[axis] = 0;
    }
  }
}

}  // namespace backplane::onednn
