// conv2d and its gradients: im2col or its adjoint, and a batch of matrix products for each group.
//
// Padding reads as 0 and is multiplied, so an infinite weight beside it makes a NaN.
#include "convolution.hpp"
#include "lines.hpp"
#include "plans.hpp"

namespace backplane::card {
namespace {

struct Forward {
  Geometry g;
  std::shared_ptr<const Product> product;
  i64 at_once, y_image, weight_group, factor_bytes;
  std::uint64_t columns;
  std::optional<Nest> bias;  // y, y, bias

  void enqueue(const Call& call) const {
    const Memory x = call.input(0), weight = call.input(1), y = call.output(0);
    const Memory scratch = call.workspace(columns);
    for_each_piece(g.samples, at_once, [&](i64 first, i64 images) {
      launch(call.queue, kernel::im2col, items(images * g.image_columns()), g.window, images,
             g.input_channels(), scratch, advanced(x, first * g.window.in_strides[0], factor_bytes),
             static_cast<i32>(factor_bytes));
      for (i64 group = 0; group < g.groups; ++group) {
        product->enqueue(call,
                         advanced(y, first * y_image + group * g.group_outputs * g.positions()),
                         advanced(weight, group * weight_group, factor_bytes),
                         advanced(scratch, group * g.column_rows() * g.positions(), factor_bytes),
                         images, false);
      }
    });
    add_bias(call, bias);
  }
};

struct BackwardData {
  Geometry g;
  std::shared_ptr<const Product> product;
  i64 at_once, dy_image, weight_group, factor_bytes;
  std::uint64_t columns;

  void enqueue(const Call& call) const {
    const Memory dy = call.input(0), weight = call.input(1), dx = call.output(0);
    const Memory scratch = call.workspace(columns);
    for_each_piece(g.samples, at_once, [&](i64 first, i64 images) {
      for (i64 group = 0; group < g.groups; ++group) {
        product->enqueue(
            call, advanced(scratch, group * g.column_rows() * g.positions()),
            advanced(weight, group * weight_group, factor_bytes),
            advanced(dy, first * dy_image + group * g.group_outputs * g.positions(), factor_bytes),
            images, false);
      }
      launch(call.queue, kernel::col2im,
             items(images * g.input_channels() * g.window.in[0] * g.window.in[1]), g.window, images,
             g.input_channels(), advanced(dx, first * g.window.in_strides[0]), scratch);
    });
  }
};

// Each image makes its own gradient; they are added up in a fixed order.
struct BackwardWeight {
  Geometry g;
  std::shared_ptr<const Product> product;
  i64 at_once, dy_image, weight_group, factor_bytes;
  std::uint64_t columns, gradients;
  Sum whole_piece, last_piece;
  std::optional<Sum> dbias;
  std::uint32_t adds_to;

  void enqueue(const Call& call) const {
    const Memory x = call.input(0), dy = call.input(1);
    const Memory scratch = call.workspace(columns), parts = call.workspace(gradients);
    for_each_piece(g.samples, at_once, [&](i64 first, i64 images) {
      launch(call.queue, kernel::im2col, items(images * g.image_columns()), g.window, images,
             g.input_channels(), scratch, advanced(x, first * g.window.in_strides[0], factor_bytes),
             static_cast<i32>(factor_bytes));
      for (i64 group = 0; group < g.groups; ++group) {
        product->enqueue(
            call, advanced(parts, group * weight_group),
            advanced(dy, first * dy_image + group * g.group_outputs * g.positions(), factor_bytes),
            advanced(scratch, group * g.column_rows() * g.positions(), factor_bytes), images,
            false);
      }
      const Sum& sum = images == at_once ? whole_piece : last_piece;
      sum.enqueue(call, call.output(0), parts, first > 0 || (adds_to & 1) != 0);
    });
    if (dbias) dbias->enqueue(call, call.output(1), dy, (adds_to & 2) != 0);
  }
};

// Gradients by image, [N, O, C / groups, KH, KW], and the weight's gradient as their sum.
Sum sum_of_gradients(plugin::Request& request, const bp_tensor_desc& dweight, i64 images) {
  const auto* dims = dweight.dims;
  const auto* strides = dweight.strides;
  const bp_tensor_desc parts = dense(BP_F32, {images, dims[0], dims[1], dims[2], dims[3]});
  const bp_tensor_desc sum = view(dweight, {{1, 0},
                                            {dims[0], strides[0]},
                                            {dims[1], strides[1]},
                                            {dims[2], strides[2]},
                                            {dims[3], strides[3]}});
  return {request, 1u, parts, sum};
}

std::uint64_t bytes_of(i64 count, i64 each = sizeof(float)) {
  return static_cast<std::uint64_t>(count * each);
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Conv2d& op, plugin::Request& request) {
  Check check(op::row_of<op::Conv2d>, request);
  check.arguments({{"input", factor_types()}, {"weight", factor_types()}, {"bias", f32, true}},
                  {{"y"}});
  check.factors_of_one_type();
  const bp_tensor_desc &input = request.inputs[0], &y = request.outputs[0];
  bp_tensor_desc& weight = request.inputs[1];
  Geometry g = fit(check, op, input, weight, y);
  set_input_strides(g, input);
  set_dense_strides(weight);
  if (!has_dense_images(y)) throw check.unsupported("writes row-major images only");
  const std::optional<Nest> bias = bias_walk(check, g, request);
  const i64 factor_bytes = element_bytes(input.dtype);
  const i64 at_once = images_at_once(g, g.image_columns() * factor_bytes, convolution_scratch_);
  const std::uint64_t columns =
      reserve(request, bytes_of(at_once * g.image_columns(), factor_bytes));
  const Forward plan{
      g,
      product(check, request, output_matrix(g, y), weight_matrix(g), columns_matrix(g)),
      at_once,
      y.strides[0],
      g.group_outputs * g.column_rows(),
      factor_bytes,
      columns,
      bias};
  return make_plan<op::Conv2d>(request, std::string("im2col, ") + plan.product->name(),
                               [plan](const Call& call) { plan.enqueue(call); });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Conv2dBackwardData& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::Conv2dBackwardData>, request);
  check.arguments({{"dy", factor_types()}, {"weight", factor_types()}}, {{"dx"}});
  check.factors_of_one_type();
  bp_tensor_desc &dy = request.inputs[0], &weight = request.inputs[1];
  const bp_tensor_desc& dx = request.outputs[0];
  Geometry g = fit(check, op, dx, weight, dy);
  set_input_strides(g, dx);
  set_dense_strides(weight);
  if (!has_dense_images(dy)) set_dense_strides(dy);
  const i64 at_once =
      images_at_once(g, g.image_columns() * i64{sizeof(float)}, convolution_scratch_);
  const std::uint64_t columns = reserve(request, bytes_of(at_once * g.image_columns()));
  const BackwardData plan{g,
                          product(check, request, columns_matrix(g), transposed(weight_matrix(g)),
                                  output_matrix(g, dy)),
                          at_once,
                          dy.strides[0],
                          g.group_outputs * g.column_rows(),
                          element_bytes(dy.dtype),
                          columns};
  return make_plan<op::Conv2dBackwardData>(request, std::string(plan.product->name()) + ", col2im",
                                           [plan](const Call& call) { plan.enqueue(call); });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Conv2dBackwardWeight& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::Conv2dBackwardWeight>, request);
  check.arguments({{"input", factor_types()}, {"dy", factor_types()}},
                  {{"dweight"}, {"dbias", f32, true}});
  check.factors_of_one_type();
  const bp_tensor_desc &input = request.inputs[0], &dweight = request.outputs[0];
  bp_tensor_desc& dy = request.inputs[1];
  Geometry g = fit(check, op, input, dweight, dy);
  set_input_strides(g, input);
  if (!has_dense_images(dy)) set_dense_strides(dy);

  const i64 weight_count = g.output_channels() * g.column_rows();
  const Matrix gradient = row_major(g.group_outputs, g.column_rows(), weight_count);
  const i64 factor_bytes = element_bytes(input.dtype);
  const i64 image_bytes = g.image_columns() * factor_bytes + weight_count * i64{sizeof(float)};
  const i64 at_once = images_at_once(g, image_bytes, convolution_scratch_);
  const std::uint64_t columns =
      reserve(request, bytes_of(at_once * g.image_columns(), factor_bytes));
  const std::uint64_t gradients = reserve(request, bytes_of(at_once * weight_count));
  const i64 rest = images_in_last_piece(g.samples, at_once);
  const std::optional<Sum> dbias = bias_gradient(check, g, request);
  const BackwardWeight plan{
      g,
      product(check, request, gradient, output_matrix(g, dy), transposed(columns_matrix(g))),
      at_once,
      dy.strides[0],
      g.group_outputs * g.column_rows(),
      factor_bytes,
      columns,
      gradients,
      sum_of_gradients(request, dweight, at_once),
      sum_of_gradients(request, dweight, rest),
      dbias,
      request.adds_to};
  return make_plan<op::Conv2dBackwardWeight>(
      request, std::string("im2col, ") + plan.product->name() + ", fixed tree",
      [plan](const Call& call) { plan.enqueue(call); });
}

}  // namespace backplane::card
