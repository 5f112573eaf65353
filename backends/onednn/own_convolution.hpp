// Convolutions by kernels of our own: Winograd's at the standard level, direct sums at both.
#pragma once

#include <memory>

#include "backplane/plugin/backend.hpp"
#include "cpu/conv_shape.h"
#include "cpu/winograd.h"
#include "parallel.hpp"

namespace backplane::onednn {

// Inputs src, weight, then the bias and the mask if there are any; outputs dst and, with a pool,
// the winners. What it means is in cpu/conv_epilogue.h.
struct ConvolutionForm {
  cpu::ConvShape shape;
  bool backward_data = false;  // the weight is that of the convolution whose gradient this is
  bool has_bias = false, has_mask = false;
  bool relu = false;
  std::int64_t pool = 1;
};

// Null, with the request untouched, where no kernel of ours computes it into these layouts, or
// where the vendor's library is cheaper.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_own_convolution(plugin::Request& request,
                                                                 const ConvolutionForm& form);

// Inputs src and dy, outputs dweight and perhaps dbias, of a form's shape; null as above.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_own_weight_gradient(plugin::Request& request,
                                                                     const cpu::ConvShape& shape);

// A copy of a tensor into another layout, in cycles for an element.
inline constexpr double cycles_to_reorder = 0.9;

// The plans of these, once the request's tensors are rows.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_winograd(plugin::Request& request,
                                                          const ConvolutionForm& form,
                                                          cpu::WinogradTile tile, unsigned parts);
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_direct(plugin::Request& request,
                                                        const ConvolutionForm& form,
                                                        unsigned parts);
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_direct_weight_gradient(plugin::Request& request,
                                                                        const cpu::ConvShape& shape,
                                                                        unsigned parts);

// Calls convolve(part, images, outputs): all outputs of some images, or some outputs of one image
// where there are fewer images than parts. Either lies side by side in dst.
template <class Convolve>
void share_convolution(const cpu::ConvShape& shape, unsigned parts, const Convolve& convolve) {
  in_parallel(parts, [&](unsigned part) {
    if (shape.images >= parts) {
      convolve(part, share_of(shape.images, part, parts), Share{0, shape.outputs});
      return;
    }
    const Share outputs = share_of(shape.outputs, part, parts);
    if (outputs.begin == outputs.end) return;
    for (std::int64_t image = 0; image < shape.images; ++image) {
      convolve(part, Share{image, image + 1}, outputs);
    }
  });
}

}  // namespace backplane::onednn
