// The sums of a convolution.
//
// A convolution is one trilinear form: over each output position and each tap of its kernel that
// meets the input, y * x * w. Each of the three operations sums that form into one of its parts, so
// they walk the same terms and differ in one line. Padding contributes no terms.
#include "convolution.hpp"

#include <string>

namespace backplane::reference {
namespace {

// `count` terms that share a weight: y[i] with x[i * step].
struct TermRow {
  std::int64_t y, x, weight, count, step;
};

// The terms of one output plane, input plane and kernel; `row` says where each of them begins.
template <class Visit>
void for_each_row_in_planes(const Convolution& g, TermRow row, Visit visit) {
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
void for_each_row(const Convolution& g, Visit visit) {
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
void for_each_output(const Convolution& g, Visit visit) {
  std::int64_t position = 0;
  for (std::int64_t n = 0; n < g.samples; ++n) {
    for (std::int64_t o = 0; o < g.output_channels(); ++o) {
      for (std::int64_t i = 0; i < g.output_plane(); ++i) visit(position++, o);
    }
  }
}

// How many positions a kernel takes along one axis.
std::int64_t output_size(const Convolution& g, int axis) {
  const std::int64_t reach = std::int64_t{g.dilation[axis]} * (g.kernel[axis] - 1) + 1;
  const std::int64_t room = g.in[axis] + g.padding[axis] + g.padding[axis + 2] - reach;
  return room < 0 ? 0 : room / g.stride[axis] + 1;
}

}  // namespace

std::vector<double> Convolution::forward(const std::vector<double>& input,
                                         const std::vector<double>& weight,
                                         const std::vector<double>* bias) const {
  std::vector<double> y(output_count());
  for_each_row(*this, [&](const TermRow& row) {
    double* to = y.data() + row.y;
    const double* x = input.data() + row.x;
    const double w = weight[row.weight];
    for (std::int64_t i = 0; i < row.count; ++i) to[i] += w * x[i * row.step];
  });
  if (bias != nullptr) {
    for_each_output(*this, [&](std::int64_t at, std::int64_t o) { y[at] += (*bias)[o]; });
  }
  return y;
}

std::vector<double> Convolution::backward_data(const std::vector<double>& dy,
                                               const std::vector<double>& weight) const {
  std::vector<double> dx(input_count());
  for_each_row(*this, [&](const TermRow& row) {
    double* to = dx.data() + row.x;
    const double* y = dy.data() + row.y;
    const double w = weight[row.weight];
    for (std::int64_t i = 0; i < row.count; ++i) to[i * row.step] += w * y[i];
  });
  return dx;
}

std::vector<double> Convolution::backward_weight(const std::vector<double>& input,
                                                 const std::vector<double>& dy) const {
  std::vector<double> dweight(weight_count());
  for_each_row(*this, [&](const TermRow& row) {
    const double* y = dy.data() + row.y;
    const double* x = input.data() + row.x;
    double sum = 0;
    for (std::int64_t i = 0; i < row.count; ++i) sum += y[i] * x[i * row.step];
    dweight[row.weight] += sum;
  });
  return dweight;
}

std::vector<double> Convolution::backward_bias(const std::vector<double>& dy) const {
  std::vector<double> dbias(static_cast<std::size_t>(output_channels()));
  for_each_output(*this, [&](std::int64_t at, std::int64_t o) { dbias[o] += dy[at]; });
  return dbias;
}

Convolution fit_convolution(const Check& check, const op::Conv2dParams& params,
                            const bp_tensor_desc& input, const bp_tensor_desc& weight,
                            const bp_tensor_desc* y) {
  Convolution g{params};
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
  if (y != nullptr) check.dims(*y, "y", {g.samples, outputs, g.out[0], g.out[1]});
  return g;
}

}  // namespace backplane::reference
