// What the three convolution operations share: the geometry, and the choice of layouts and
// implementation.
#pragma once

#include <dnnl.hpp>
#include <optional>
#include <vector>

#include "check.hpp"
#include "cpu/conv_shape.h"

namespace backplane::onednn {

// A pair of layouts that oneDNN may have a fast implementation for, by both of their names: ours
// for the border, oneDNN's for the implementation.
struct ConvolutionLayouts {
  bp_tensor_desc input, output;
  dnnl::memory::format_tag input_tag, output_tag;
};

// input[N,C,H,W], weight[O,C/groups,KH,KW] and output[N,O,OH,OW], whichever of them is asked for.
class Convolution {
 public:
  // Throws where dims and parameters contradict each other.
  Convolution(const Check& check, const op::Conv2dParams& params, const bp_tensor_desc& input,
              const bp_tensor_desc& weight, const bp_tensor_desc& output);

  // Throws unless two operands have one type, f32 or one of 16 bits, and their result is f32.
  static void check_types(const Check& check, const bp_tensor_desc& first,
                          const bp_tensor_desc& second, const bp_tensor_desc& result);
  void check_bias(const Check& check, const bp_tensor_desc& bias) const;

  // Each throws dnnl::error where oneDNN has nothing for these layouts. The bias may be empty.
  [[nodiscard]] dnnl::convolution_forward::primitive_desc forward(
      const ConvolutionLayouts& layouts, const dnnl::memory::desc& bias) const;
  [[nodiscard]] dnnl::convolution_backward_data::primitive_desc backward_data(
      const ConvolutionLayouts& layouts) const;
  [[nodiscard]] dnnl::convolution_backward_weights::primitive_desc backward_weight(
      const ConvolutionLayouts& layouts, const dnnl::memory::desc& bias) const;

  // As the API has it: row-major, with the groups as an axis of their own.
  [[nodiscard]] dnnl::memory::desc plain_weight() const;
  [[nodiscard]] dnnl::memory::desc bias() const;

  [[nodiscard]] cpu::ConvShape shape() const;

  // How many of `threads` the work deserves.
  [[nodiscard]] std::uint32_t team(std::uint32_t threads) const;

  const op::Conv2dParams params;

 private:
  void set_window(const Check& check, const bp_tensor_desc& input, const bp_tensor_desc& weight,
                  const bp_tensor_desc& output);
  [[nodiscard]] dnnl::memory::desc any_weight() const;
  [[nodiscard]] dnnl::memory::desc input(const ConvolutionLayouts& layouts) const;
  [[nodiscard]] dnnl::memory::desc output(const ConvolutionLayouts& layouts) const;
  // The forward convolution of such operands, which oneDNN asks for beside a gradient.
  [[nodiscard]] dnnl::convolution_forward::primitive_desc hint(
      const ConvolutionLayouts& layouts, dnnl::memory::data_type operands) const;

  dnnl::memory::dims input_, weight_, output_;
  dnnl::memory::data_type input_type_, weight_type_, output_type_;
  dnnl::memory::dims stride_, dilation_, padding_begin_, padding_end_;
};

// The pairs of layouts worth trying, best first. A side that the caller has fixed rules other pairs
// out.
struct CandidateOptions {
  bool input_fixed = false, output_fixed = false, backward_data = false;
};
[[nodiscard]] std::vector<ConvolutionLayouts> candidate_layouts(bp_tensor_desc input,
                                                                bp_tensor_desc output,
                                                                std::int64_t groups,
                                                                CandidateOptions options);

// The first pair for which make(layouts) gives an implementation that isn't the plain loops of
// oneDNN's own reference, which take a thousand times as long.
template <class Description>
struct Chosen {
  ConvolutionLayouts layouts;
  Description description;
};
template <class Description, class Make>
[[nodiscard]] Chosen<Description> choose(const Check& check,
                                         const std::vector<ConvolutionLayouts>& candidates,
                                         const Make& make) {
  std::optional<Chosen<Description>> slow;
  for (const ConvolutionLayouts& layouts : candidates) {
    try {
      Chosen<Description> found{layouts, make(layouts)};
      const std::string name = found.description.impl_info_str();
      if (!name.starts_with("ref")) return found;
      if (!slow) slow = std::move(found);
    } catch (const dnnl::error& error) {
      if (error.status != dnnl_unimplemented && error.status != dnnl_invalid_arguments) throw;
    }
  }
  if (!slow) throw check.unsupported("oneDNN has no implementation for these shapes and strides");
  return *std::move(slow);
}

}  // namespace backplane::onednn
