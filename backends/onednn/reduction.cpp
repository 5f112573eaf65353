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

Reduction::Reduction(const bp_tensor_desc& x, const bp_tensor_desc& sums, std::uint32_t threads)
    : outputs_(element_count(sums)), parts_(parts_for(element_count(x), threads)) {
  const Nest nest({&x, &sums});
  const auto axes = nest.axes();
  const auto is_summed = [](const Nest::Axis& axis) { return axis.strides[1] == 0; };
  std::size_t last = axes.size();
  if (!is_summed(axes[last - 1])) {
    has_columns_ = true;
    columns_ = axes[--last];
  }
  for (std::size_t i = 0; i < last; ++i) {
    (is_summed(axes[i]) ? outer_summed_ : outer_outputs_).push_back(axes[i]);
  }
  if (!outer_summed_.empty()) {
    rows_ = outer_summed_.back();
    outer_summed_.pop_back();
  }
  const std::int64_t sliceable = std::max(size_of(outer_summed_), rows_.size);
  if (size_of(outer_outputs_) < 4 * parts_)
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

std::int64_t Reduction::size_of(const Loop& loop) {
  std::int64_t size = 1;
  for (const Nest::Axis& axis : loop) size *= axis.size;
  return size;
}

Reduction::Offset Reduction::offset_at(const Loop& loop, std::int64_t index) {
  Offset offset{0, 0};
  for (auto axis = loop.rbegin(); axis != loop.rend() && index > 0; ++axis) {
    const std::int64_t here = index % axis->size;
    index /= axis->size;
    offset.x += here * axis->strides[0];
    offset.sums += here * axis->strides[1];
  }
  return offset;
}

}  // namespace backplane::onednn
