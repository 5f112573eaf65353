// max_pool2d and its gradient.
#include <cmath>
#include <limits>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

constexpr std::int64_t no_winner = -1;  // stored as all ones

struct Geometry : op::MaxPool2dParams {
  std::int64_t planes = 0;  // samples times channels
  std::int64_t in[2] = {}, out[2] = {};

  // Where a tap of an output's window lies in the input's plane; -1: in the padding.
  [[nodiscard]] std::int64_t source(std::int64_t oh, std::int64_t ow, std::int64_t tap) const {
    const std::int64_t ih = oh * stride[0] - padding[0] + tap / kernel[1] * dilation[0];
    const std::int64_t iw = ow * stride[1] - padding[1] + tap % kernel[1] * dilation[1];
    return ih < 0 || ih >= in[0] || iw < 0 || iw >= in[1] ? -1 : ih * in[1] + iw;
  }
  [[nodiscard]] std::int64_t taps() const { return std::int64_t{kernel[0]} * kernel[1]; }
};

// Calls visit(index in y, start of x's plane, oh, ow) for all outputs.
template <class Visit>
void for_each_window(const Geometry& g, Visit visit) {
  std::int64_t index = 0;
  for (std::int64_t plane = 0; plane < g.planes; ++plane) {
    for (std::int64_t oh = 0; oh < g.out[0]; ++oh) {
      for (std::int64_t ow = 0; ow < g.out[1]; ++ow) {
        visit(index++, plane * g.in[0] * g.in[1], oh, ow);
      }
    }
  }
}

void max_pool2d(const Call& call, const Geometry& g) {
  const auto x = call.load(0);
  const auto count = static_cast<std::size_t>(g.planes * g.out[0] * g.out[1]);
  std::vector<double> y(count, -std::numeric_limits<double>::infinity());
  std::vector<std::int64_t> winners(count, no_winner);
  for_each_window(g, [&](std::int64_t i, std::int64_t plane, std::int64_t oh, std::int64_t ow) {
    for (std::int64_t tap = 0; tap < g.taps(); ++tap) {
      const std::int64_t source = g.source(oh, ow, tap);
      if (source < 0) continue;
      const double value = x[plane + source];
      const bool wins =
          winners[i] == no_winner || value > y[i] || (std::isnan(value) && !std::isnan(y[i]));
      if (!wins) continue;
      y[i] = value;
      winners[i] = tap;
    }
  });
  call.store(0, std::move(y));
  if (call.has_output(1)) call.store(1, std::move(winners));
}

void max_pool2d_backward(const Call& call, const Geometry& g) {
  const auto dy = call.load(0);
  const auto winners = call.load<std::int64_t>(1);
  std::vector<double> dx(static_cast<std::size_t>(g.planes * g.in[0] * g.in[1]));
  for_each_window(g, [&](std::int64_t i, std::int64_t plane, std::int64_t oh, std::int64_t ow) {
    if (winners[i] >= g.taps()) return;  // none
    const std::int64_t source = g.source(oh, ow, winners[i]);
    if (source >= 0) dx[plane + source] += dy[i];
  });
  call.store(0, std::move(dx));
}

Geometry fit(const Check& check, const op::MaxPool2dParams& params, const bp_tensor_desc& x,
             const bp_tensor_desc& y) {
  Geometry g{params};
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

void check_winners(const Check& check, const Geometry& g, const bp_tensor_desc& winners,
                   const bp_tensor_desc& y) {
  check.same_dims(winners, "winners", y);
  const std::uint32_t dtype = g.taps() <= 254 ? BP_U8 : BP_U16;
  check.that(winners.dtype == dtype && g.taps() <= 65534,
             "the winners of " + std::to_string(g.taps()) +
                 " taps take u8 up to 254 and u16 up to 65534, got " + dtype_name(winners.dtype));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::MaxPool2d& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::MaxPool2d>, request);
  check.arguments({{"x", floating}},
                  {{"y", floating}, {"winners", only(BP_U8) | only(BP_U16), true}});
  const Geometry g = fit(check, op, request.inputs[0], request.outputs[0]);
  if (request.outputs.size() > 1) check_winners(check, g, request.outputs[1], request.outputs[0]);
  return make_plan<op::MaxPool2d>(request, [g](const Call& call) { max_pool2d(call, g); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::MaxPool2dBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::MaxPool2dBackward>, request);
  check.arguments({{"dy", floating}, {"winners", only(BP_U8) | only(BP_U16)}}, {{"dx", floating}});
  const Geometry g = fit(check, op, request.outputs[0], request.inputs[0]);
  check_winners(check, g, request.inputs[1], request.inputs[0]);
  return make_plan<op::MaxPool2dBackward>(request,
                                          [g](const Call& call) { max_pool2d_backward(call, g); });
}

}  // namespace backplane::reference
