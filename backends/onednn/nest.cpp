// How a nest is made: axes of all operands, sorted, then merged where no operand sees a seam.
#include "nest.hpp"

#include <algorithm>

#include "layout.hpp"

namespace backplane::onednn {

Nest::Nest(std::initializer_list<const bp_tensor_desc*> operands)
    : operand_count_(static_cast<int>(operands.size())),
      elements_(element_count(**operands.begin())),
      bypasses_cache_(elements_ * static_cast<std::int64_t>(element_bytes(**operands.begin())) >=
                      cpu::bytes_that_bypass_cache) {
  add_axes(operands);
  std::stable_sort(axes_.begin(), axes_.begin() + axis_count_,
                   [](const Axis& a, const Axis& b) { return a.strides[0] > b.strides[0]; });
  merge_axes();
  while (axis_count_ < 2) {
    std::move_backward(axes_.begin(), axes_.begin() + axis_count_, axes_.begin() + axis_count_ + 1);
    axes_[0] = {1, {}};
    ++axis_count_;
  }
}

namespace {

// Of one axis of one operand, before and after the private layout's split.
struct SplitStride {
  std::int64_t outer, inner;
};
SplitStride stride_of(const bp_tensor_desc& desc, std::uint32_t axis, std::int64_t inner_size) {
  if (desc.dims[axis] == 1) return {0, 0};
  const std::int64_t block = block_of(desc);
  if (block == 0) return {desc.strides[axis] * inner_size, desc.strides[axis]};
  const std::int64_t area = desc.dims[2] * desc.dims[3];
  const std::int64_t strides[] = {desc.dims[1] * area, area * block, desc.dims[3] * block, block};
  return {strides[axis], 1};
}

}  // namespace

void Nest::add_axes(std::initializer_list<const bp_tensor_desc*> operands) {
  const bp_tensor_desc& shape = **operands.begin();
  std::int64_t block = 0;
  for (const bp_tensor_desc* operand : operands) block = std::max(block, block_of(*operand));
  for (std::uint32_t axis = 0; axis < shape.rank; ++axis) {
    const bool split = block != 0 && axis == 1;
    Axis outer{split ? shape.dims[1] / block : shape.dims[axis], {}};
    Axis inner{split ? block : 1, {}};
    int operand = 0;
    for (const bp_tensor_desc* desc : operands) {
      const SplitStride stride = stride_of(*desc, axis, inner.size);
      outer.strides[operand] = stride.outer;
      inner.strides[operand++] = stride.inner;
    }
    if (outer.size != 1) axes_[axis_count_++] = outer;
    if (inner.size != 1) axes_[axis_count_++] = inner;
  }
}

void Nest::merge_axes() {
  int kept = 0;
  for (int i = 1; i < axis_count_; ++i) {
    Axis& outer = axes_[kept];
    const Axis& inner = axes_[i];
    const bool seamless = std::equal(
        outer.strides.begin(), outer.strides.begin() + operand_count_, inner.strides.begin(),
        [&](std::int64_t a, std::int64_t b) { return a == b * inner.size; });
    if (seamless) {
      outer = {outer.size * inner.size, inner.strides};
    } else {
      axes_[++kept] = inner;
    }
  }
  if (axis_count_ > 0) axis_count_ = kept + 1;
}

void Nest::bring_contiguous_to_rows(int operand) {
  if (columns().strides[operand] == 1) return;
  const auto last = axes_.begin() + axis_count_ - 1;
  const auto contiguous = std::find_if(axes_.begin(), last, [&](const Axis& axis) {
    return axis.strides[operand] == 1 && axis.size > 1;
  });
  if (contiguous != last) std::rotate(contiguous, contiguous + 1, last);
}

Nest::Steps Nest::steps_at(std::int64_t plane, std::int64_t row, std::int64_t column) const {
  Steps steps{};
  for (int i = 0; i < operand_count_; ++i) {
    steps[i] = {row * rows().strides[i] + column * columns().strides[i], rows().strides[i],
                columns().strides[i]};
  }
  for (int axis = axis_count_ - 3; axis >= 0 && plane > 0; --axis) {
    const std::int64_t index = plane % axes_[axis].size;
    plane /= axes_[axis].size;
    for (int i = 0; i < operand_count_; ++i) steps[i].offset += index * axes_[axis].strides[i];
  }
  return steps;
}

}  // namespace backplane::onednn
