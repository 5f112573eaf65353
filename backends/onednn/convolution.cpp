// Geometry checks and layout candidates of convolutions.
#include "convolution.hpp"

#include <algorithm>

#include "layout.hpp"

namespace backplane::onednn {
namespace {

using Tag = dnnl::memory::format_tag;
using Dims = dnnl::memory::dims;

Dims dims_of(const bp_tensor_desc& desc) {
  return {desc.dims, desc.dims + desc.rank};
}

// A layout by both of its names: ours for the border, oneDNN's for the implementation.
struct Layout {
  void (*set)(bp_tensor_desc&);
  Tag tag;
};
constexpr Layout row_major{set_row_major, Tag::nchw};
constexpr Layout channels_last{set_channels_last, Tag::nhwc};
Layout blocked() {
  return {[](bp_tensor_desc& desc) { set_blocked(desc, native_block()); },
          native_block() == 16 ? Tag::nChw16c : Tag::nChw8c};
}

dnnl::memory::desc memory_of(const bp_tensor_desc& desc, Tag tag) {
  return {dims_of(desc), dnnl::memory::data_type::f32, tag};
}

// Grouped weights have the groups as a first axis.
Dims grouped(const bp_tensor_desc& weight, std::int64_t groups) {
  const Dims dims = dims_of(weight);
  if (groups == 1) return dims;
  return {groups, dims[0] / groups, dims[1], dims[2], dims[3]};
}

bool groups_can_block(std::int64_t channels, std::int64_t groups, bool depthwise) {
  const std::int64_t block = native_block();
  return block != 0 && (depthwise ? channels : channels / groups) % block == 0;
}

}  // namespace

Convolution::Convolution(const Check& check, const op::Conv2dParams& given,
                         const bp_tensor_desc& input, const bp_tensor_desc& weight,
                         const bp_tensor_desc& output)
    : params(given) {
  check.dtype(input, "input", {BP_F32});
  check.dtype(weight, "weight", {BP_F32});
  check.dtype(output, "output", {BP_F32});
  check.rank(input, "input", 4);
  check.rank(weight, "weight", 4);
  check.rank(output, "output", 4);
  const std::int64_t groups = given.groups, channels = input.dims[1], outputs = weight.dims[0];
  check.that(groups > 0 && channels % groups == 0 && outputs % groups == 0,
             "groups divide the channels of " + describe(input) + " and the outputs of " +
                 describe(weight) + ", they are " + std::to_string(groups));
  check.dims(weight, "weight", {outputs, channels / groups, weight.dims[2], weight.dims[3]});
  std::int64_t spatial[2];
  for (int axis = 0; axis < 2; ++axis) {
    check.that(given.stride[axis] > 0 && given.dilation[axis] > 0, "stride and dilation are 1 up");
    const std::int64_t begin = given.padding[axis], end = given.padding[axis + 2];
    check.that(begin >= 0 && end >= 0, "padding is never negative");
    check.that(weight.dims[2 + axis] > 0, "the window has rows and columns");
    const std::int64_t reach = given.dilation[axis] * (weight.dims[2 + axis] - 1) + 1;
    const std::int64_t room = input.dims[2 + axis] + begin + end - reach;
    check.that(room >= 0, "the window fits into " + describe(input) + " with its padding");
    spatial[axis] = room / given.stride[axis] + 1;
    stride.push_back(given.stride[axis]);
    dilation.push_back(given.dilation[axis] - 1);
    padding_begin.push_back(begin);
    padding_end.push_back(end);
  }
  check.dims(output, "output", {input.dims[0], outputs, spatial[0], spatial[1]});
  input_dims = dims_of(input);
  weight_dims = grouped(weight, groups);
  output_dims = dims_of(output);
}

dnnl::memory::desc Convolution::plain_weight() const {
  const Tag tag = weight_dims.size() == 5 ? Tag::goihw : Tag::oihw;
  return {weight_dims, dnnl::memory::data_type::f32, tag};
}

dnnl::memory::desc Convolution::any_weight() const {
  return {weight_dims, dnnl::memory::data_type::f32, Tag::any};
}

dnnl::memory::desc Convolution::bias() const {
  return {{output_dims[1]}, dnnl::memory::data_type::f32, Tag::a};
}

std::vector<ConvolutionLayouts> candidate_layouts(const Convolution& convolution,
                                                  bp_tensor_desc input, bp_tensor_desc output,
                                                  Fixed fixed, bool backward_data) {
  std::vector<ConvolutionLayouts> candidates;
  const bp_tensor_desc asked_input = input, asked_output = output;
  const auto add = [&](const Layout& of_input, const Layout& of_output) {
    of_input.set(input);
    of_output.set(output);
    if (fixed.input && !same_layout(input, asked_input)) return;
    if (fixed.output && !same_layout(output, asked_output)) return;
    candidates.push_back(
        {input, output, memory_of(input, of_input.tag), memory_of(output, of_output.tag)});
  };

  const std::int64_t groups = convolution.params.groups;
  const std::int64_t channels = input.dims[1], outputs = output.dims[1];
  const bool depthwise = groups == channels && groups == outputs;
  // An image of one to three channels has kernels of its own: rows in, blocks out.
  const bool image = groups == 1 && channels <= 3;
  if (groups_can_block(outputs, groups, depthwise)) {
    if (groups_can_block(channels, groups, depthwise)) add(blocked(), blocked());
    if (image) add(row_major, blocked());
  }
  // The gradient of such an image is faster by matrix products, see README.md.
  if (image && backward_data) add(row_major, row_major);
  add(channels_last, channels_last);
  add(row_major, row_major);
  return candidates;
}

}  // namespace backplane::onednn
