// What the three convolution operations share: the geometry, and the choice of layouts and
// implementation.
#pragma once

#include <dnnl.hpp>
#include <functional>
#include <optional>

#include "check.hpp"

namespace backplane::onednn {

// Sums are direct at both numerics levels: the transforms of oneDNN's Winograd leave errors in
// elements whose own sum is small, which no bound on that sum covers.
inline constexpr auto convolution_algorithm = dnnl::algorithm::convolution_direct;

// input[N,C,H,W], weight[O,C/groups,KH,KW] and output[N,O,OH,OW], whichever of them is asked for.
struct Convolution {
  // Throws where dims and parameters contradict each other, or a type isn't f32.
  Convolution(const Check& check, const op::Conv2dParams& params, const bp_tensor_desc& input,
              const bp_tensor_desc& weight, const bp_tensor_desc& output);

  // Plain, as the API has it: row-major, with the groups as an axis of their own.
  [[nodiscard]] dnnl::memory::desc plain_weight() const;
  [[nodiscard]] dnnl::memory::desc any_weight() const;
  [[nodiscard]] dnnl::memory::desc bias() const;

  op::Conv2dParams params;
  dnnl::memory::dims input_dims, weight_dims, output_dims;
  dnnl::memory::dims stride, dilation, padding_begin, padding_end;
};

// A pair of layouts that oneDNN may have a fast implementation for.
struct ConvolutionLayouts {
  bp_tensor_desc input, output;
  dnnl::memory::desc input_memory, output_memory;
};

// Goes through the pairs of layouts, best first, and takes the first one for which make(layouts)
// gives a description with an implementation that isn't the plain loops of oneDNN's reference. A
// side whose layout the caller has fixed (see `Fixed`) rules other pairs out.
struct Fixed {
  bool input = false, output = false;
};
template <class Description>
struct Chosen {
  ConvolutionLayouts layouts;
  Description description;
};
[[nodiscard]] std::vector<ConvolutionLayouts> candidate_layouts(const Convolution& convolution,
                                                                bp_tensor_desc input,
                                                                bp_tensor_desc output, Fixed fixed,
                                                                bool backward_data);

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
