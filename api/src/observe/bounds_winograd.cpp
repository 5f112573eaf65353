// Bounds of convolutions that a device may compute by Winograd's algorithm, at the standard level.
//
// F(m x m, 3 x 3) computes A^T [sum over channels of (G g G^T) * (B^T d B)] A for each tile of m x
// m outputs (* by elements). What an output's error is made of is the whole tile's, also where the
// output's own sum is small or empty, so the bound of an element is its tile's:
//
//     c * u * (sum over channels of ||g||_1 * max|d| + |bias|)
//
// Row i of G is at most gamma_i = max|G_ik| and row i of B^T at most beta_i = sum_k |B^T_ik| times
// that, so the products of point (i, j) reach gamma_i gamma_j beta_i beta_j of it, and output (r,
// s) gathers sum_ij |A_ir A_js| of them. With c the largest of these sums, the bound allows every
// product one rounding of its largest possible size, all of one sign. With K independent roundings
// each (Higham, section 2.8) the deviation is sqrt(K / 3) times the root of the sum of squares,
// which is a quarter of c: c is reached with K = 48, above the about thirty of the transforms. The
// polynomials' points are 0, 1, -1, 2, -2, infinity (m = 4: c = 29.3^2) and 1/2, -1/2 (m =
// 6: 40.1^2), the customary ones. Measured on adversarial filters of one tap: a fifth of c.
#include <algorithm>
#include <array>
#include <cmath>

#include "observe/bounds.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

namespace {

struct Variant {
  std::int64_t side;
  double units;
};
constexpr std::array variants{Variant{4, 861}, Variant{6, 1605}};

// The convolution that a tile belongs to: src[N, groups * channels, H, W] padded by top and left,
// weight sums[groups * outputs][channels], dst[N, groups * outputs, OH, OW].
struct Tiled {
  std::int64_t images, groups, channels, outputs, height, width, out_height, out_width, top, left;
  std::vector<double> src, weight, bias;

  // The largest |src| that a tile's outputs read of a plane.
  [[nodiscard]] double largest(std::int64_t plane, std::int64_t row, std::int64_t column,
                               std::int64_t side) const {
    double value = 0;
    const std::int64_t first_row = std::max<std::int64_t>(row - top, 0);
    const std::int64_t first_column = std::max<std::int64_t>(column - left, 0);
    for (std::int64_t y = first_row; y < std::min(row - top + side + 2, height); ++y) {
      for (std::int64_t x = first_column; x < std::min(column - left + side + 2, width); ++x) {
        value = std::max(value, std::abs(src[(plane * height + y) * width + x]));
      }
    }
    return value;
  }

  // Calls body(plane of dst, first row, first column, magnitude) for every tile.
  template <class Body>
  void each_tile(std::int64_t side, const Body& body) const {
    std::vector<double> of_channel(static_cast<std::size_t>(channels));
    for (std::int64_t group = 0; group < images * groups; ++group) {
      for (std::int64_t row = 0; row < out_height; row += side) {
        for (std::int64_t column = 0; column < out_width; column += side) {
          for (std::int64_t c = 0; c < channels; ++c) {
            of_channel[c] = largest(group * channels + c, row, column, side);
          }
          for (std::int64_t o = 0; o < outputs; ++o) {
            const std::int64_t output = group % groups * outputs + o;
            double sum = bias.empty() ? 0 : std::abs(bias[output]);
            for (std::int64_t c = 0; c < channels; ++c) {
              sum += weight[output * channels + c] * of_channel[c];
            }
            body(group * outputs + o, row, column, sum);
          }
        }
      }
    }
  }
};

bool may_be_winograd(const BoundRequest& request, const op::Conv2dParams& params,
                     const Shape& weight) {
  return request.numerics == Numerics::standard && weight[2] == 3 && weight[3] == 3 &&
         params.stride[0] == 1 && params.stride[1] == 1 && params.dilation[0] == 1 &&
         params.dilation[1] == 1;
}

// The sums of |weight[o, c]| over the taps, as [outputs][channels] of the convolution, which are
// those of `weight` the other way round where it is `exchanged`.
std::vector<double> tap_sums(const Tensor& tensor, std::int64_t groups, bool exchanged) {
  const Shape& shape = tensor.shape();
  const std::vector<double> taps = as_doubles(tensor);
  const std::int64_t rows = shape[0] / groups, columns = shape[1];
  std::vector<double> sums(static_cast<std::size_t>(shape[0] * columns));
  for (std::int64_t i = 0; i < std::ssize(sums); ++i) {
    const std::int64_t group = i / (rows * columns), row = i / columns % rows, column = i % columns;
    const std::int64_t at = exchanged ? (group * columns + column) * rows + row : i;
    for (std::int64_t tap = 0; tap < 9; ++tap) sums[at] += std::abs(taps[i * 9 + tap]);
  }
  return sums;
}

void widen(const BoundRequest& request, const Tiled& conv, std::vector<double>& bounds) {
  const double unit = precision_of(request.expected[0].dtype()).unit;
  for (const Variant& variant : variants) {
    conv.each_tile(variant.side, [&](std::int64_t plane, std::int64_t row, std::int64_t column,
                                     double magnitude) {
      const double bound = variant.units * unit * magnitude;
      for (std::int64_t y = row; y < std::min(row + variant.side, conv.out_height); ++y) {
        for (std::int64_t x = column; x < std::min(column + variant.side, conv.out_width); ++x) {
          double& here = bounds[(plane * conv.out_height + y) * conv.out_width + x];
          here = std::max(here, bound);
        }
      }
    });
  }
}

}  // namespace

Bounds conv2d_bounds(const BoundRequest& request, const op::Conv2dParams& params) {
  Bounds bounds = linear_bounds(request);
  const Tensor& weight = request.inputs[1];
  if (!may_be_winograd(request, params, weight.shape())) return bounds;
  const Shape &src = request.inputs[0].shape(), &dst = request.expected[0].shape();
  const bool has_bias = request.inputs.size() > 2 && request.inputs[2].defined();
  widen(request,
        {src[0], params.groups, src[1] / params.groups, dst[1] / params.groups, src[2], src[3],
         dst[2], dst[3], params.padding[0], params.padding[1], as_doubles(request.inputs[0]),
         tap_sums(weight, params.groups, false),
         has_bias ? as_doubles(request.inputs[2]) : std::vector<double>()},
        bounds[0]);
  return bounds;
}

// A convolution of dy with the weight's channels as outputs, padded by what the taps reach beyond.
Bounds conv2d_backward_data_bounds(const BoundRequest& request) {
  const auto& params = *request.operation.as<op::Conv2dBackwardData>();
  Bounds bounds = linear_bounds(request);
  const Tensor& weight = request.inputs[1];
  if (!may_be_winograd(request, params, weight.shape())) return bounds;
  const Shape &dy = request.inputs[0].shape(), &dx = request.expected[0].shape();
  widen(request,
        {dy[0],
         params.groups,
         dy[1] / params.groups,
         dx[1] / params.groups,
         dy[2],
         dy[3],
         dx[2],
         dx[3],
         2 - params.padding[0],
         2 - params.padding[1],
         as_doubles(request.inputs[0]),
         tap_sums(weight, params.groups, true),
         {}},
        bounds[0]);
  return bounds;
}

}  // namespace backplane::detail
