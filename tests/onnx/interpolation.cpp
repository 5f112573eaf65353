// Resize of ONNX, where its formulas are the library's.
#include <cmath>

#include "backplane/functional.hpp"
#include "operators.hpp"

namespace onnx_nodes {

using namespace backplane;

namespace {

// The size along an axis; the library derives the scale from it, which must be the same then.
std::int64_t scaled(std::int64_t size, double scale) {
  const double result = std::round(static_cast<double>(size) * scale);
  // Scales are stored as f32.
  if (std::abs(result - static_cast<double>(size) * scale) > 1e-6 * result) {
    throw PassedOver("a scale that isn't the ratio of two sizes");
  }
  return static_cast<std::int64_t>(result);
}

Shape sizes_of(Node& node, const Tensor& x, std::size_t scales, std::size_t sizes) {
  Shape shape = x.shape();
  if (node.has_input(sizes)) return Shape(node.input_integers(sizes));
  const std::vector<double> factors = node.input_numbers(scales);
  for (std::size_t i = 0; i < x.rank(); ++i) shape[i] = scaled(shape[i], factors[i]);
  return shape;
}

Tensor resized(const Tensor& x, const Shape& shape, const InterpolateOptions& options) {
  if (x.rank() != 4 || shape[0] != x.size(0) || shape[1] != x.size(1)) {
    throw PassedOver("another resize than that of rows and columns");
  }
  const Size2d size{static_cast<std::int32_t>(shape[2]), static_cast<std::int32_t>(shape[3])};
  return interpolate(x, size, options);
}

// Rounded half pixels and cut off whole ones are the same where each pixel is only repeated.
bool repeats(const Shape& from, const Shape& to) {
  return to[2] % from[2] == 0 && to[3] % from[3] == 0;
}

std::vector<Tensor> resize(Node& node) {
  const Tensor x = node.input(0);
  const Shape shape = sizes_of(node, x, 2, 3);
  const std::string mode = node.text("mode", "nearest");
  const std::string positions = node.text("coordinate_transformation_mode", "half_pixel");
  const std::string rounding = node.text("nearest_mode", "round_prefer_floor");
  const bool by_floor = positions == "asymmetric" && rounding == "floor";
  const bool by_half = positions == "half_pixel" && rounding == "round_prefer_floor";
  if (mode == "nearest" && (by_floor || (by_half && repeats(x.shape(), shape)))) {
    return {resized(x, shape, {})};
  }
  if (mode == "linear" && (positions == "half_pixel" || positions == "align_corners")) {
    return {
        resized(x, shape,
                {.mode = Interpolation::bilinear, .align_corners = positions == "align_corners"})};
  }
  throw PassedOver("resize " + mode + " by " + positions + " and " + rounding);
}

// Resize before it had modes: asymmetric, with floor.
std::vector<Tensor> upsample(Node& node) {
  const Tensor x = node.input(0);
  if (node.text("mode", "nearest") != "nearest") throw PassedOver("positions without half pixels");
  return {resized(x, sizes_of(node, x, 1, 2), {})};
}

}  // namespace

Operators interpolations() {
  return {{"Resize", resize}, {"Upsample", upsample}};
}

}  // namespace onnx_nodes
