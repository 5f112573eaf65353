// interpolate and its gradient.
#include <algorithm>
#include <array>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

// An element of x along one axis, and its weight.
struct Neighbour {
  std::int64_t at;
  double weight;
};

// The two that an output lies between; the second one may have weight 0.
std::array<Neighbour, 2> neighbours(const op::InterpolateParams& op, std::int64_t in,
                                    std::int64_t out, std::int64_t o) {
  if (op.mode == op::Interpolation::nearest) return {{{o * in / out, 1}, {0, 0}}};
  // The position is numerator / denominator.
  const bool corners = op.align_corners != 0;
  const std::int64_t denominator = !corners ? 2 * out : std::max<std::int64_t>(out - 1, 1);
  const std::int64_t numerator = corners ? o * (in - 1) : (2 * o + 1) * in - out;
  if (corners && out == 1) return {{{0, 1}, {0, 0}}};
  if (numerator <= 0) return {{{0, 1}, {0, 0}}};
  const std::int64_t low = numerator / denominator;
  if (low >= in - 1) return {{{in - 1, 1}, {0, 0}}};
  const double part =
      static_cast<double>(numerator % denominator) / static_cast<double>(denominator);
  return {{{low, 1 - part}, {low + 1, part}}};
}

struct Geometry {
  op::InterpolateParams op;
  std::int64_t planes;  // samples times channels
  std::int64_t in[2], out[2];

  // Calls visit(index in y, index in x, weight) for each neighbour that has a weight.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t i = 0; i < planes * out[0] * out[1]; ++i) {
      const std::int64_t plane = i / (out[0] * out[1]);
      for (const Neighbour& row : neighbours(op, in[0], out[0], i / out[1] % out[0])) {
        for (const Neighbour& column : neighbours(op, in[1], out[1], i % out[1])) {
          const double weight = row.weight * column.weight;
          if (weight != 0) visit(i, (plane * in[0] + row.at) * in[1] + column.at, weight);
        }
      }
    }
  }
};

Geometry fit(const Check& check, const op::InterpolateParams& op, const bp_tensor_desc& x,
             const bp_tensor_desc& y) {
  check.that(op.mode <= op::Interpolation::bilinear, "the mode must be nearest or bilinear");
  check.rank(x, "x", 4);
  check.rank(y, "y", 4);
  check.dims(y, "y", {x.dims[0], x.dims[1], y.dims[2], y.dims[3]});
  check.that(element_count(y) == 0 || (x.dims[2] > 0 && x.dims[3] > 0),
             "an image without rows or columns has nothing to interpolate");
  return {op, x.dims[0] * x.dims[1], {x.dims[2], x.dims[3]}, {y.dims[2], y.dims[3]}};
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Interpolate& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Interpolate>, request);
  check.arguments({{"x", floating}}, {{"y", floating}});
  const Geometry g = fit(check, op, request.inputs[0], request.outputs[0]);
  return make_plan<op::Interpolate>(request, [g](const Call& call) {
    const auto x = call.load(0);
    std::vector<double> y(static_cast<std::size_t>(g.planes * g.out[0] * g.out[1]));
    g.for_each(
        [&](std::int64_t i, std::int64_t source, double weight) { y[i] += weight * x[source]; });
    call.store(0, std::move(y));
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::InterpolateBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::InterpolateBackward>, request);
  check.arguments({{"dy", floating}}, {{"dx", floating}});
  const Geometry g = fit(check, op, request.outputs[0], request.inputs[0]);
  return make_plan<op::InterpolateBackward>(request, [g](const Call& call) {
    const auto dy = call.load(0);
    std::vector<double> dx(static_cast<std::size_t>(g.planes * g.in[0] * g.in[1]));
    g.for_each(
        [&](std::int64_t i, std::int64_t target, double weight) { dx[target] += weight * dy[i]; });
    call.store(0, std::move(dx));
  });
}

}  // namespace backplane::reference
