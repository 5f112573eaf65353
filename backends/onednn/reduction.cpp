// How a reduction is cut: which axes are counted through, which are left to the kernel.
#include "reduction.hpp"

#include "layout.hpp"

namespace backplane::onednn {

void check_reduced(const Check& check, const plugin::Request& request, std::uint32_t axes) {
  check.inputs(1, 1);
  check.outputs(1, 1);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check.rank(y, "y", x.rank);
  check.that(x.dtype == y.dtype, "x and y have one dtype");
  check.that((axes >> x.rank) == 0, "no axis is beyond the rank of " + describe(x));
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    const bool gone = (axes >> axis & 1) != 0;
    check.that(
        y.dims[axis] == (gone ? 1 : x.dims[axis]),
        "reduced dims are 1 and the others kept, from " + describe(x) + " to " + describe(y));
  }
}

ReducedLoops::ReducedLoops(const Nest& nest) {
  const auto axes = nest.axes();
  const auto is_summed = [](const Nest::Axis& axis) { return axis.strides[1] == 0; };
  std::size_t last = axes.size();
  if (!is_summed(axes[last - 1])) {
    has_columns = true;
    columns = axes[--last];
  }
  for (std::size_t i = 0; i < last; ++i) {
    (is_summed(axes[i]) ? outer_summed : outer_outputs).push_back(axes[i]);
  }
  if (!outer_summed.empty()) {
    rows = outer_summed.back();
    outer_summed.pop_back();
  }
}

std::int64_t ReducedLoops::size_of(const Loop& loop) {
  std::int64_t size = 1;
  for (const Nest::Axis& axis : loop) size *= axis.size;
  return size;
}

ReducedLoops::Offsets ReducedLoops::offsets_at(const Loop& loop, std::int64_t index) {
  Offsets offsets{};
  for (auto axis = loop.rbegin(); axis != loop.rend() && index > 0; ++axis) {
    const std::int64_t here = index % axis->size;
    index /= axis->size;
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] += here * axis->strides[i];
  }
  return offsets;
}

Reduction::Reduction(const bp_tensor_desc& x, const bp_tensor_desc& sums, std::uint32_t threads)
    : loops_(Nest({&x, &sums})),
      outputs_(element_count(sums)),
      parts_(parts_for(element_count(x), threads)) {
  const std::int64_t sliceable =
      std::max(ReducedLoops::size_of(loops_.outer_summed), loops_.rows.size);
  if (ReducedLoops::size_of(loops_.outer_outputs) < 4 * parts_)
    slices_ = std::clamp<std::int64_t>(sliceable, 1, parts_);
}

bp_tensor_desc Reduction::layout_of_sums(const bp_tensor_desc& x, const bp_tensor_desc& y) {
  bp_tensor_desc sums = y;
  if (block_of(x) != 0 && !can_block(sums, block_of(x))) {
    set_row_major(sums);
  } else {
    set_like(sums, x);
  }
  return sums;
}

}  // namespace backplane::onednn
