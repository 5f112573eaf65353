// Geometry checks, layout candidates and oneDNN's descriptions of convolutions.
#include "convolution.hpp"

#include <numeric>

#include "layout.hpp"
#include "parallel.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

using Tag = dnnl::memory::format_tag;
using Dims = dnnl::memory::dims;

Dims dims_of(const bp_tensor_desc& desc) {
  return {desc.dims, desc.dims + desc.rank};
}

// Grouped weights have the groups as a first axis.
Dims grouped(const bp_tensor_desc& weight, std::int64_t groups) {
  const Dims dims = dims_of(weight);
  if (groups == 1) return dims;
  return {groups, dims[0] / groups, dims[1], dims[2], dims[3]};
}

// A layout by both of its names.
struct Layout {
  void (*set)(bp_tensor_desc&);
  Tag tag;
};
// At both numerics levels: where Winograd's algorithm pays, own_convolution.hpp has it.
constexpr auto direct_sums = dnnl::algorithm::convolution_direct;

constexpr Layout row_major{set_row_major, Tag::nchw};
constexpr Layout channels_last{set_channels_last, Tag::nhwc};
Layout blocked() {
  return {[](bp_tensor_desc& desc) { set_blocked(desc, native_block()); },
          native_block() == 16 ? Tag::nChw16c : Tag::nChw8c};
}

}  // namespace

Convolution::Convolution(const Check& check, const op::Conv2dParams& given,
                         const bp_tensor_desc& input, const bp_tensor_desc& weight,
                         const bp_tensor_desc& output)
    : params(given),
      input_type_(memory_type(input)),
      weight_type_(memory_type(weight)),
      output_type_(memory_type(output)) {
  check.rank(input, "input", 4);
  check.rank(weight, "weight", 4);
  check.rank(output, "output", 4);
  const std::int64_t groups = given.groups, channels = input.dims[1], outputs = weight.dims[0];
  check.that(groups > 0 && channels % groups == 0 && outputs % groups == 0,
             "groups divide the channels of " + describe(input) + " and the outputs of " +
                 describe(weight) + ", they are " + std::to_string(groups));
  check.dims(weight, "weight", {outputs, channels / groups, weight.dims[2], weight.dims[3]});
  set_window(check, input, weight, output);
  input_ = dims_of(input);
  weight_ = grouped(weight, groups);
  output_ = dims_of(output);
}

void Convolution::check_types(const Check& check, const bp_tensor_desc& first,
                              const bp_tensor_desc& second, const bp_tensor_desc& result) {
  check.dtype(first, "an operand", {BP_F32, BP_BF16, BP_F16});
  check.dtype(second, "an operand", {BP_F32, BP_BF16, BP_F16});
  check.dtype(result, "the result", {BP_F32});
  check.that(first.dtype == second.dtype, "both operands have one dtype, they are " +
                                              describe(first) + " and " + describe(second));
}

void Convolution::check_bias(const Check& check, const bp_tensor_desc& bias) const {
  check.dtype(bias, "bias", {BP_F32});
  check.dims(bias, "bias", {output_[1]});
}

void Convolution::set_window(const Check& check, const bp_tensor_desc& input,
                             const bp_tensor_desc& weight, const bp_tensor_desc& output) {
  std::int64_t spatial[2];
  for (int axis = 0; axis < 2; ++axis) {
    check.that(params.stride[axis] > 0 && params.dilation[axis] > 0,
               "stride and dilation are 1 up");
    const std::int64_t begin = params.padding[axis], end = params.padding[axis + 2];
    check.that(begin >= 0 && end >= 0, "padding is never negative");
    check.that(weight.dims[2 + axis] > 0, "the window has rows and columns");
    const std::int64_t reach = params.dilation[axis] * (weight.dims[2 + axis] - 1) + 1;
    const std::int64_t room = input.dims[2 + axis] + begin + end - reach;
    check.that(room >= 0, "the window fits into " + describe(input) + " with its padding");
    spatial[axis] = room / params.stride[axis] + 1;
    stride_.push_back(params.stride[axis]);
    dilation_.push_back(params.dilation[axis] - 1);  // oneDNN counts the gaps
    padding_begin_.push_back(begin);
    padding_end_.push_back(end);
  }
  check.dims(output, "output", {input.dims[0], weight.dims[0], spatial[0], spatial[1]});
}

dnnl::convolution_forward::primitive_desc Convolution::forward(
    const ConvolutionLayouts& layouts, const dnnl::memory::desc& bias) const {
  return {{dnnl::prop_kind::forward_training, direct_sums, input(layouts), any_weight(), bias,
           output(layouts), stride_, dilation_, padding_begin_, padding_end_},
          caller_owns_scratchpad(),
          cpu_engine()};
}

dnnl::convolution_forward::primitive_desc Convolution::hint(
    const ConvolutionLayouts& layouts, dnnl::memory::data_type operands) const {
  const dnnl::memory::desc input(input_, operands, layouts.input_tag);
  const dnnl::memory::desc output(output_, operands, layouts.output_tag);
  return {{dnnl::prop_kind::forward_training,
           direct_sums,
           input,
           {weight_, operands, Tag::any},
           output,
           stride_,
           dilation_,
           padding_begin_,
           padding_end_},
          cpu_engine()};
}

dnnl::convolution_backward_data::primitive_desc Convolution::backward_data(
    const ConvolutionLayouts& layouts) const {
  return {{direct_sums, input(layouts), any_weight(), output(layouts), stride_, dilation_,
           padding_begin_, padding_end_},
          caller_owns_scratchpad(),
          cpu_engine(),
          hint(layouts, weight_type_)};
}

dnnl::convolution_backward_weights::primitive_desc Convolution::backward_weight(
    const ConvolutionLayouts& layouts, const dnnl::memory::desc& bias) const {
  return {{direct_sums, input(layouts), any_weight(), bias, output(layouts), stride_, dilation_,
           padding_begin_, padding_end_},
          caller_owns_scratchpad(),
          cpu_engine(),
          hint(layouts, input_type_)};
}

dnnl::memory::desc Convolution::plain_weight() const {
  return {weight_, weight_type_, weight_.size() == 5 ? Tag::goihw : Tag::oihw};
}

dnnl::memory::desc Convolution::any_weight() const {
  return {weight_, weight_type_, Tag::any};
}

dnnl::memory::desc Convolution::input(const ConvolutionLayouts& layouts) const {
  return {input_, input_type_, layouts.input_tag};
}

dnnl::memory::desc Convolution::output(const ConvolutionLayouts& layouts) const {
  return {output_, output_type_, layouts.output_tag};
}

dnnl::memory::desc Convolution::bias() const {
  return {{output_[1]}, dnnl::memory::data_type::f32, Tag::a};
}

cpu::ConvShape Convolution::shape() const {
  cpu::ConvShape shape{.images = input_[0],
                       .channels = input_[1],
                       .height = input_[2],
                       .width = input_[3],
                       .outputs = output_[1],
                       .groups = params.groups};
  std::copy_n(weight_.end() - 2, 2, shape.kernel);
  std::copy_n(params.stride, 2, shape.stride);
  std::copy_n(params.padding, 4, shape.padding);
  std::copy_n(params.dilation, 2, shape.dilation);
  return shape;
}

std::uint32_t Convolution::team(std::uint32_t threads) const {
  const auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
  };
  const std::int64_t outputs = product(output_.begin(), output_.end());
  const std::int64_t sum = product(weight_.end() - 3, weight_.end());
  return team_for_products(outputs * sum, threads);
}

std::vector<ConvolutionLayouts> candidate_layouts(bp_tensor_desc input, bp_tensor_desc output,
                                                  std::int64_t groups, CandidateOptions options) {
  std::vector<ConvolutionLayouts> candidates;
  const bp_tensor_desc asked_input = input, asked_output = output;
  const auto add = [&](const Layout& of_input, const Layout& of_output) {
    of_input.set(input);
    of_output.set(output);
    if (options.input_fixed && !same_layout(input, asked_input)) return;
    if (options.output_fixed && !same_layout(output, asked_output)) return;
    candidates.push_back({input, output, of_input.tag, of_output.tag});
  };

  const std::int64_t channels = input.dims[1], outputs = output.dims[1], block = native_block();
  const bool depthwise = groups == channels && groups == outputs;
  // Groups of the convolution don't share a group of the layout, unless each is one channel.
  const auto can_block = [&](std::int64_t count) {
    return block != 0 && (depthwise ? count : count / groups) % block == 0;
  };
  // An image of one to three channels has kernels of its own: rows in, blocks out.
  const bool image = groups == 1 && channels <= 3;
  if (can_block(channels) && can_block(outputs)) add(blocked(), blocked());
  if (can_block(outputs) && image) add(row_major, blocked());
  // The gradient of such an image is faster by matrix products, see README.md.
  if (image && options.backward_data) add(row_major, row_major);
  add(channels_last, channels_last);
  add(row_major, row_major);
  return candidates;
}

}  // namespace backplane::onednn
