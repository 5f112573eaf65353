// The largest of each window.
#include "max_pool.hpp"

#include <cmath>
#include <limits>

#include "tensor.hpp"

namespace backplane::reference {
namespace {

// Calls visit(index in y, start of x's plane, oh, ow) for all outputs.
template <class Visit>
void for_each_window(const MaxPool& g, Visit visit) {
  std::int64_t index = 0;
  for (std::int64_t plane = 0; plane < g.planes; ++plane) {
    for (std::int64_t oh = 0; oh < g.out[0]; ++oh) {
      for (std::int64_t ow = 0; ow < g.out[1]; ++ow) {
        visit(index++, plane * g.in[0] * g.in[1], oh, ow);
      }
    }
  }
}

}  // namespace

MaxPool::Result MaxPool::forward(const std::vector<double>& x) const {
  const auto count = static_cast<std::size_t>(planes * out[0] * out[1]);
  std::vector<double> y(count, -std::numeric_limits<double>::infinity());
  std::vector<std::int64_t> winners(count, no_winner);
  for_each_window(*this, [&](std::int64_t i, std::int64_t plane, std::int64_t oh, std::int64_t ow) {
    for (std::int64_t tap = 0; tap < taps(); ++tap) {
      const std::int64_t at = source(oh, ow, tap);
      if (at < 0) continue;
      const double value = x[plane + at];
      const bool wins =
          winners[i] == no_winner || value > y[i] || (std::isnan(value) && !std::isnan(y[i]));
      if (!wins) continue;
      y[i] = value;
      winners[i] = tap;
    }
  });
  return {std::move(y), std::move(winners)};
}

std::vector<double> MaxPool::backward(const std::vector<double>& dy,
                                      const std::vector<std::int64_t>& winners) const {
  std::vector<double> dx(static_cast<std::size_t>(planes * in[0] * in[1]));
  for_each_window(*this, [&](std::int64_t i, std::int64_t plane, std::int64_t oh, std::int64_t ow) {
    if (winners[i] >= taps()) return;  // none
    const std::int64_t at = source(oh, ow, winners[i]);
    if (at >= 0) dx[plane + at] += dy[i];
  });
  return dx;
}

MaxPool fit_max_pool(const Check& check, const op::MaxPool2dParams& params, const bp_tensor_desc& x,
                     const bp_tensor_desc& y) {
  MaxPool g{params};
  check.rank(x, "x", 4);
  check.rank(y, "y", 4);
  for (int axis = 0; axis < 2; ++axis) {
    check.that(g.kernel[axis] > 0 && g.stride[axis] > 0 && g.dilation[axis] > 0,
               "kernel, stride and dilation must be at least 1");
    check.that(g.padding[axis] >= 0 && g.padding[axis + 2] >= 0, "padding must not be negative");
    g.in[axis] = x.dims[2 + axis];
    g.out[axis] = y.dims[2 + axis];  // the caller rounds down or up; a window may stick out
  }
  check.dims(y, "y", {x.dims[0], x.dims[1], g.out[0], g.out[1]});
  g.planes = x.dims[0] * x.dims[1];
  return g;
}

void check_winners(const Check& check, const MaxPool& g, const bp_tensor_desc& winners,
                   const bp_tensor_desc& y) {
  check.same_dims(winners, "winners", y);
  const std::uint32_t dtype = g.taps() <= 254 ? BP_U8 : BP_U16;
  check.that(winners.dtype == dtype && g.taps() <= 65534,
             "the winners of " + std::to_string(g.taps()) +
                 " taps take u8 up to 254 and u16 up to 65534, got " + dtype_name(winners.dtype));
}

}  // namespace backplane::reference
