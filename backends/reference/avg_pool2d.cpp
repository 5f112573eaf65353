// avg_pool2d, adaptive_avg_pool2d and their gradients.
#include <algorithm>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

// What one output averages along one axis: elements [begin, end) of x, with so many counted.
struct Span {
  std::int64_t begin, end, counted;
};

// The windows of avg_pool2d.
struct Windows : op::AvgPool2dParams {
  [[nodiscard]] Span at(int axis, std::int64_t in, std::int64_t, std::int64_t o) const {
    const std::int64_t first = o * stride[axis] - padding[axis];
    const std::int64_t last = std::min(first + kernel[axis], in + padding[axis + 2]);
    const std::int64_t begin = std::max<std::int64_t>(first, 0), end = std::min(last, in);
    return {begin, end, count_include_pad != 0 ? last - first : end - begin};
  }
};

// The parts of adaptive_avg_pool2d.
struct Parts {
  [[nodiscard]] static Span at(int, std::int64_t in, std::int64_t out, std::int64_t o) {
    const std::int64_t begin = o * in / out, end = ((o + 1) * in + out - 1) / out;
    return {begin, end, end - begin};
  }
};

template <class Spans>
struct Geometry {
  Spans spans;
  std::int64_t planes;  // samples times channels
  std::int64_t in[2], out[2];

  // Calls visit(index in y, index in x, divisor) for each element of each average.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t i = 0; i < planes * out[0] * out[1]; ++i) {
      const std::int64_t plane = i / (out[0] * out[1]);
      const Span rows = spans.at(0, in[0], out[0], i / out[1] % out[0]);
      const Span columns = spans.at(1, in[1], out[1], i % out[1]);
      const auto divisor = static_cast<double>(rows.counted * columns.counted);
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        for (std::int64_t column = columns.begin; column < columns.end; ++column) {
          visit(i, (plane * in[0] + row) * in[1] + column, divisor);
        }
      }
    }
  }
};

template <class Spans>
Geometry<Spans> fit(const Check& check, const Spans& spans, const bp_tensor_desc& x,
                    const bp_tensor_desc& y) {
  check.rank(x, "x", 4);
  check.rank(y, "y", 4);
  check.dims(y, "y", {x.dims[0], x.dims[1], y.dims[2], y.dims[3]});
  return {spans, x.dims[0] * x.dims[1], {x.dims[2], x.dims[3]}, {y.dims[2], y.dims[3]}};
}

void check_windows(const Check& check, const op::AvgPool2dParams& params) {
  for (int axis = 0; axis < 2; ++axis) {
    check.that(params.kernel[axis] > 0 && params.stride[axis] > 0,
               "kernel and stride must be at least 1");
    check.that(params.padding[axis] >= 0 && params.padding[axis + 2] >= 0,
               "padding must not be negative");
  }
}

template <class Op, class Spans>
std::unique_ptr<plugin::Plan> plan_forward(Check& check, plugin::Request& request,
                                           const Spans& spans) {
  check.arguments({{"x", floating}}, {{"y", floating}});
  const auto g = fit(check, spans, request.inputs[0], request.outputs[0]);
  return make_plan<Op>(request, [g](const Call& call) {
    const auto x = call.load(0);
    std::vector<double> y(static_cast<std::size_t>(g.planes * g.out[0] * g.out[1])), divisors(y);
    g.for_each([&](std::int64_t i, std::int64_t source, double divisor) {
      y[i] += x[source];
      divisors[i] = divisor;
    });
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (divisors[i] != 0) y[i] /= divisors[i];
    }
    call.store(0, std::move(y));
  });
}

template <class Op, class Spans>
std::unique_ptr<plugin::Plan> plan_backward(Check& check, plugin::Request& request,
                                            const Spans& spans) {
  check.arguments({{"dy", floating}}, {{"dx", floating}});
  const auto g = fit(check, spans, request.outputs[0], request.inputs[0]);
  return make_plan<Op>(request, [g](const Call& call) {
    const auto dy = call.load(0);
    std::vector<double> dx(static_cast<std::size_t>(g.planes * g.in[0] * g.in[1]));
    g.for_each([&](std::int64_t i, std::int64_t target, double divisor) {
      dx[target] += dy[i] / divisor;
    });
    call.store(0, std::move(dx));
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::AvgPool2d& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::AvgPool2d>, request);
  check_windows(check, op);
  return plan_forward<op::AvgPool2d>(check, request, Windows{op});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::AvgPool2dBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::AvgPool2dBackward>, request);
  check_windows(check, op);
  return plan_backward<op::AvgPool2dBackward>(check, request, Windows{op});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::AdaptiveAvgPool2d&,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::AdaptiveAvgPool2d>, request);
  return plan_forward<op::AdaptiveAvgPool2d>(check, request, Parts{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::AdaptiveAvgPool2dBackward&,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::AdaptiveAvgPool2dBackward>, request);
  return plan_backward<op::AdaptiveAvgPool2dBackward>(check, request, Parts{});
}

}  // namespace backplane::reference
