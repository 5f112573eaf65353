// The geometry of a convolution, checked.
#include "convolution.hpp"

namespace backplane::card {
namespace {

i64 positions_along(const Window& window, const op::Conv2dParams& params, int axis) {
  const i64 reach = i64{window.dilation[axis]} * (window.taps[axis] - 1) + 1;
  const i64 room = window.in[axis] + params.padding[axis] + params.padding[axis + 2] - reach;
  return room < 0 ? 0 : room / window.stride[axis] + 1;
}

Window window_of(const Check& check, const op::Conv2dParams& params, const bp_tensor_desc& input,
                 const bp_tensor_desc& weight) {
  Window window{};
  for (int axis = 0; axis < 2; ++axis) {
    check.that(params.stride[axis] > 0 && params.dilation[axis] > 0,
               "stride and dilation must be at least 1");
    check.that(params.padding[axis] >= 0 && params.padding[axis + 2] >= 0,
               "padding must not be negative");
    check.that(weight.dims[2 + axis] > 0 && weight.dims[2 + axis] < (1 << 30),
               "a kernel must have at least one row and column, weight is " + describe(weight));
    window.in[axis] = input.dims[2 + axis];
    window.taps[axis] = static_cast<i32>(weight.dims[2 + axis]);
    window.stride[axis] = params.stride[axis];
    window.padding[axis] = params.padding[axis];
    window.dilation[axis] = params.dilation[axis];
    window.out[axis] = positions_along(window, params, axis);
  }
  return window;
}

}  // namespace

Geometry fit(const Check& check, const op::Conv2dParams& params, const bp_tensor_desc& input,
             const bp_tensor_desc& weight, const bp_tensor_desc& y) {
  check.rank(input, "input", 4);
  check.rank(weight, "weight", 4);
  check.that(params.groups > 0, "groups must be at least 1");
  const i64 inputs = input.dims[1], outputs = weight.dims[0], groups = params.groups;
  check.that(inputs % groups == 0 && outputs % groups == 0,
             std::to_string(inputs) + " input and " + std::to_string(outputs) +
                 " output channels don't divide into " + std::to_string(groups) + " groups");
  const Geometry g{window_of(check, params, input, weight), input.dims[0], groups, inputs / groups,
                   outputs / groups};
  check.dims(weight, "weight", {outputs, g.group_inputs, weight.dims[2], weight.dims[3]});
  check.dims(y, "y", {g.samples, outputs, g.window.out[0], g.window.out[1]});
  return g;
}

void set_input_strides(Geometry& geometry, const bp_tensor_desc& input) {
  std::copy(input.strides, input.strides + 4, geometry.window.in_strides);
}

bool has_dense_images(const bp_tensor_desc& desc) {
  bp_tensor_desc image = desc;
  image.dims[0] = 1;
  return is_dense(image);
}

i64 images_at_once(const Geometry& geometry, i64 bytes_per_image, i64 most_bytes) {
  const i64 fitting = most_bytes / std::max<i64>(bytes_per_image, 1);
  // A batch of products is counted in 16 bits on some cards.
  const i64 most = std::min<i64>(geometry.samples, 65535);
  return std::max<i64>(std::min(fitting, most), 1);
}

Matrix weight_matrix(const Geometry& g) {
  return row_major(g.group_outputs, g.column_rows());
}

Matrix columns_matrix(const Geometry& g) {
  return row_major(g.column_rows(), g.positions(), g.image_columns());
}

Matrix output_matrix(const Geometry& g, const bp_tensor_desc& y) {
  return row_major(g.group_outputs, g.positions(), y.strides[0]);
}

std::optional<Nest> bias_walk(const Check& check, const Geometry& g,
                              const plugin::Request& request) {
  if (request.inputs.size() < 3) return std::nullopt;
  const bp_tensor_desc &y = request.outputs[0], &bias = request.inputs[2];
  check.dims(bias, "bias", {g.output_channels()});
  const bp_tensor_desc each =
      view(bias, {{y.dims[0], 0}, {y.dims[1], bias.strides[0]}, {y.dims[2], 0}, {y.dims[3], 0}});
  return nest({&y, &y, &each});
}

void add_bias(const Call& call, const std::optional<Nest>& walk) {
  if (!walk) return;
  const Memory y = call.output(0);
  launch(call.queue, kernel::add_float, items(walk->count), *walk, y, y, call.input(2), F32);
}

std::optional<Sum> bias_gradient(const Check& check, const Geometry& g, plugin::Request& request) {
  if (request.outputs.size() < 2) return std::nullopt;
  const bp_tensor_desc& dbias = request.outputs[1];
  check.dims(dbias, "dbias", {g.output_channels()});
  const bp_tensor_desc sum =
      view(dbias, {{1, 0}, {dbias.dims[0], dbias.strides[0]}, {1, 0}, {1, 0}});
  return Sum(request, 0b1101u, request.inputs[1], sum);
}

}  // namespace backplane::card
