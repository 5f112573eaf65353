// What operations along one axis ask of their tensors.
#include "rowwise.hpp"

namespace backplane::onednn {

void check_axis(const Check& check, const bp_tensor_desc& desc, std::int32_t axis) {
  check.that(axis >= 0 && static_cast<std::uint32_t>(axis) < desc.rank,
             "axis " + std::to_string(axis) + " isn't one of " + describe(desc));
}

void want_rows(bp_tensor_desc& input, std::int32_t axis) {
  const bool has_rows = input.strides[axis] == 1 || input.dims[axis] == 1;
  if (block_of(input) != 0 || !has_rows) set_innermost(input, static_cast<std::uint32_t>(axis));
}

void settle_rows(const Check& check, bp_tensor_desc& output, std::int32_t axis) {
  if (output.layout == BP_LAYOUT_ANY) {
    set_innermost(output, static_cast<std::uint32_t>(axis));
  } else if (block_of(output) != 0 || (output.strides[axis] != 1 && output.dims[axis] != 1)) {
    throw check.unsupported("the output is written without gaps along the axis only");
  }
}

bp_tensor_desc positions_of(bp_tensor_desc desc, std::int32_t axis) {
  desc.dims[axis] = 1;
  return desc;
}

}  // namespace backplane::onednn
