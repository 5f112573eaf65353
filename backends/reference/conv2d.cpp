// conv2d and its gradients.
//
// A convolution is one trilinear form: over each output position and each tap of its kernel that
// meets the input, y * x * w. Each of the three operations sums that form into one of its parts, so
// they walk the same terms and differ in one line. Padding contributes no terms.
#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

struct Geometry : op::Conv2dParams {
  std::int64_t samples = 0;
  std::int64_t group_inputs = 0, group_outputs = 0;  // channels of one group
  std::int64_t in[2] = {}, kernel[2] = {}, out[2] = {};

  [[nodiscard]] std::int64_t input_plane() const { return in[0] * in[1]; }
  [[nodiscard]] std::int64_t output_plane() const { return out[0] * out[1]; }
  [[nodiscard]] std::int64_t output_channels() const { return groups * group_outputs; }
  [[nodiscard]] std::size_t input_count() const {
    return static_cast<std::size_t>(samples * groups * group_inputs * input_plane());
  }
  [[nodiscard]] std::size_t weight_count() const {
    return static_cast<std::size_t>(output_channels() * group_inputs * kernel[0] * kernel[1]);
  }
  [[nodiscard]] std::size_t output_count() const {
    return static_cast<std::size_t>(samples * output_channels() * output_plane());
  }

  // The input's row (axis 0) or column (axis 1) under an output position's tap.
  [[nodiscard]] std::int64_t source(int axis, std::int64_t position, std::int64_t tap) const {
    return position * stride[axis] - padding[axis] + tap * dilation[axis];
  }
};

// `count` terms that share a weight: y[i] with x[i * step].
struct TermRow {
  std::int64_t y, x, weight, count, step;
};

// The terms of one output plane, input plane and kernel; `row` says where each of them begins.
template <class Visit>
void for_each_row_in_planes(const Geometry& g, TermRow row, Visit visit) {
  const std::int64_t y_plane = row.y, x_plane = row.x;
  for (std::int64_t kh = 0; kh < g.kernel[0]; ++kh) {
    for (std::int64_t kw = 0; kw < g.kernel[1]; ++kw, ++row.weight) {
      std::int64_t first = 0, last = g.out[1];
      while (first < last && g.source(1, first, kw) < 0) ++first;
      while (first < last && g.source(1, last - 1, kw) >= g.in[1]) --last;
      row.count = last - first;
      if (row.count == 0) continue;
      for (std::int64_t oh = 0; oh < g.out[0]; ++oh) {
        const std::int64_t ih = g.source(0, oh, kh);
        if (ih < 0 || ih >= g.in[0]) continue;
        row.y = y_plane + oh * g.out[1] + first;
        row.x = x_plane + ih * g.in[1] + g.source(1, first, kw);
        visit(row);
      }
    }
  }
}

// Calls visit(TermRow) for all terms; for each y in the order of input channel, kh, kw.
template <class Visit>
void for_each_row(const Geometry& g, Visit visit) {
  for (std::int64_t n = 0; n < g.samples; ++n) {
    for (std::int64_t o = 0; o < g.output_channels(); ++o) {
      const std::int64_t first_input = o / g.group_outputs * g.group_inputs;
      for (std::int64_t c = 0; c < g.group_inputs; ++c) {
        const TermRow planes{
            .y = (n * g.output_channels() + o) * g.output_plane(),
            .x = (n * g.groups * g.group_inputs + first_input + c) * g.input_plane(),
            .weight = (o * g.group_inputs + c) * g.kernel[0] * g.kernel[1],
            .count = 0,
            .step = g.stride[1]};
        for_each_row_in_planes(g, planes, visit);
      }
    }
  }
}

// Calls visit(position in y, channel) for all outputs.
template <class Visit>
void for_each_output(const Geometry& g, Visit visit) {
  std::int64_t position = 0;
  for (std::int64_t n = 0; n < g.samples; ++n) {
    for (std::int64_t o = 0; o < g.output_channels(); ++o) {
      for (std::int64_t i = 0; i < g.output_plane(); ++i) visit(position++, o);
    }
  }
}

void conv2d(const Call& call, const Geometry& g) {
  const auto input = call.load(0), weight = call.load(1);
  std::vector<double> y(g.output_count());
  for_each_row(g, [&](const TermRow& row) {
    double* to = y.data() + row.y;
    const double* x = input.data() + row.x;
    const double w = weight[row.weight];
    for (std::int64_t i = 0; i < row.count; ++i) to[i] += w * x[i * row.step];
  });
  if (call.has_input(2)) {
    const auto bias = call.load(2);
    for_each_output(g, [&](std::int64_t position, std::int64_t o) { y[position] += bias[o]; });
  }
  call.store(0, std::move(y));
}

void conv2d_backward_data(const Call& call, const Geometry& g) {
  const auto dy = call.load(0), weight = call.load(1);
  std::vector<double> dx(g.input_count());
  for_each_row(g, [&](const TermRow& row) {
    double* to = dx.data() + row.x;
    const double* y = dy.data() + row.y;
    const double w = weight[row.weight];
    for (std::int64_t i = 0; i < row.count; ++i) to[i * row.step] += w * y[i];
  });
  call.store(0, std::move(dx));
}

void conv2d_backward_weight(const Call& call, const Geometry& g) {
  const auto input = call.load(0), dy = call.load(1);
  std::vector<double> dweight(g.weight_count());
  for_each_row(g, [&](const TermRow& row) {
    const double* y = dy.data() + row.y;
    const double* x = input.data() + row.x;
    double sum = 0;
    for (std::int64_t i = 0; i < row.count; ++i) sum += y[i] * x[i * row.step];
    dweight[row.weight] += sum;
  });
  call.store(0, std::move(dweight));
  if (call.has_output(1)) {
    std::vector<double> dbias(static_cast<std::size_t>(g.output_channels()));
    for_each_output(g, [&](std::int64_t position, std::int64_t o) { dbias[o] += dy[position]; });
    call.store(1, std::move(dbias));
  }
}

// How many positions a kernel takes along one axis.
std::int64_t output_size(const Geometry& g, int axis) {
  const std::int64_t reach = std::int64_t{g.dilation[axis]} * (g.kernel[axis] - 1) + 1;
  const std::int64_t room = g.in[axis] + g.padding[axis] + g.padding[axis + 2] - reach;
  return room < 0 ? 0 : room / g.stride[axis] + 1;
}

// Whatever is given and whatever is asked for: an input, a weight and an output that fit.
Geometry fit(const Check& check, const op::Conv2dParams& params, const bp_tensor_desc& input,
             const bp_tensor_desc& weight, const bp_tensor_desc& y) {
  Geometry g{params};
  check.that(g.groups > 0, "groups must be at least 1, it is " + std::to_string(g.groups));
  for (int axis = 0; axis < 2; ++axis) {
    check.that(g.stride[axis] > 0 && g.dilation[axis] > 0,
               "stride and dilation must be at least 1");
    check.that(g.padding[axis] >= 0 && g.padding[axis + 2] >= 0, "padding must not be negative");
  }
  check.rank(input, "input", 4);
  check.rank(weight, "weight", 4);
  for (int axis = 0; axis < 2; ++axis) {
    g.in[axis] = input.dims[2 + axis];
    g.kernel[axis] = weight.dims[2 + axis];
    check.that(g.kernel[axis] > 0, "a kernel must have at least one row and column");
    g.out[axis] = output_size(g, axis);
  }
  const std::int64_t inputs = input.dims[1], outputs = weight.dims[0];
  check.that(inputs % g.groups == 0 && outputs % g.groups == 0,
             std::to_string(inputs) + " input and " + std::to_string(outputs) +
                 " output channels don't divide into " + std::to_string(g.groups) + " groups");
  g.samples = input.dims[0];
  g.group_inputs = inputs / g.groups;
  g.group_outputs = outputs / g.groups;
  check.dims(weight, "weight", {outputs, g.group_inputs, g.kernel[0], g.kernel[1]});
  check.dims(y, "y", {g.samples, outputs, g.out[0], g.out[1]});
  return g;
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2d& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2d>, request);
  check.arguments({{"input", floating}, {"weight", floating}, {"bias", floating, true}},
                  {{"y", floating}});
  const Geometry g = fit(check, op, request.inputs[0], request.inputs[1], request.outputs[0]);
  if (request.inputs.size() > 2) check.dims(request.inputs[2], "bias", {g.output_channels()});
  return make_plan<op::Conv2d>(request, [g](const Call& call) { conv2d(call, g); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2dBackwardData& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2dBackwardData>, request);
  check.arguments({{"dy", floating}, {"weight", floating}}, {{"dx", floating}});
  const Geometry g = fit(check, op, request.outputs[0], request.inputs[1], request.inputs[0]);
  return make_plan<op::Conv2dBackwardData>(
      request, [g](const Call& call) { conv2d_backward_data(call, g); });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2dBackwardWeight& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2dBackwardWeight>, request);
  check.arguments({{"input", floating}, {"dy", floating}},
                  {{"dweight", floating}, {"dbias", floating, true}});
  const Geometry g = fit(check, op, request.inputs[0], request.outputs[0], request.inputs[1]);
  if (request.outputs.size() > 1) check.dims(request.outputs[1], "dbias", {g.output_channels()});
  return make_plan<op::Conv2dBackwardWeight>(
      request, [g](const Call& call) { conv2d_backward_weight(call, g); });
}

}  // namespace backplane::reference
