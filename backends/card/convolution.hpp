// What the three operations of a convolution share: its geometry, and the images that pass at once.
#pragma once

#include <algorithm>

#include "lines.hpp"
#include "product.hpp"

namespace backplane::card {

struct Geometry {
  Window window;  // strides of the input are filled in by whoever reads or writes it
  i64 samples, groups;
  i64 group_inputs, group_outputs;  // channels of one group

  [[nodiscard]] i64 input_channels() const { return groups * group_inputs; }
  [[nodiscard]] i64 output_channels() const { return groups * group_outputs; }
  [[nodiscard]] i64 taps() const { return i64{window.taps[0]} * window.taps[1]; }
  [[nodiscard]] i64 positions() const { return window.out[0] * window.out[1]; }
  // One group's columns of one image: what each output position sees.
  [[nodiscard]] i64 column_rows() const { return group_inputs * taps(); }
  [[nodiscard]] i64 image_columns() const { return groups * column_rows() * positions(); }
  [[nodiscard]] i64 image_output() const { return output_channels() * positions(); }
};

// Whatever is given and whatever is asked for: an input, a weight and an output that fit.
[[nodiscard]] Geometry fit(const Check& check, const op::Conv2dParams& params,
                           const bp_tensor_desc& input, const bp_tensor_desc& weight,
                           const bp_tensor_desc& y);

void set_input_strides(Geometry& geometry, const bp_tensor_desc& input);

// Whether each image is dense; the distance from one to the next may be anything.
[[nodiscard]] bool has_dense_images(const bp_tensor_desc& desc);

// Images that are laid out as columns at once, so that the scratch memory stays below so many bytes
// if a single image does.
[[nodiscard]] i64 images_at_once(const Geometry& geometry, i64 bytes_per_image, i64 most_bytes);

// Calls body(first image, count) for one piece of the batch after the other; an empty batch is one
// empty piece, for a gradient that is a sum of nothing must be written too.
template <class Body>
void for_each_piece(i64 samples, i64 at_once, Body body) {
  i64 first = 0;
  do {
    body(first, std::min(at_once, samples - first));
    first += at_once;
  } while (first < samples);
}

[[nodiscard]] inline i64 images_in_last_piece(i64 samples, i64 at_once) {
  return samples - std::max<i64>(samples - 1, 0) / at_once * at_once;
}

// The matrices of one group; offsets from group to group are in elements.
[[nodiscard]] Matrix weight_matrix(const Geometry& geometry);
[[nodiscard]] Matrix columns_matrix(const Geometry& geometry);
[[nodiscard]] Matrix output_matrix(const Geometry& geometry, const bp_tensor_desc& y);

// The walk that adds the bias, if the request has one: y, y, bias.
[[nodiscard]] std::optional<Nest> bias_walk(const Check& check, const Geometry& geometry,
                                            const plugin::Request& request);
void add_bias(const Call& call, const std::optional<Nest>& walk);
// The bias's gradient, if the request asks for it: a sum over samples and positions.
[[nodiscard]] std::optional<Sum> bias_gradient(const Check& check, const Geometry& geometry,
                                               plugin::Request& request);

}  // namespace backplane::card
