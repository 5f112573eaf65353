// The arithmetic of both directions, and how much memory a worker needs.
#include "convolution.hpp"

#include <limits>

namespace backplane::opencl {
namespace {

constexpr i64 most_scratch_bytes = i64{512} << 20;

// What follows from the rest: the phases that taps fall into, and the grid of each.
void lay_out(Convolution& c) {
  for (int axis = 0; axis < 2; ++axis) {
    const i64 reach = i64{c.taps[axis] - 1} * c.dilation[axis];
    c.grid[axis] = c.out[axis] + reach / c.step[axis];
    c.phases[axis] = 1;
    for (i32 tap = 0; tap < std::min(c.taps[axis], c.step[axis]); ++tap) {
      const auto phase = static_cast<i32>(i64{tap} * c.dilation[axis] % c.step[axis]);
      c.phases[axis] = std::max(c.phases[axis], phase + 1);
    }
  }
}

void set_tensors(Convolution& c, const bp_tensor_desc& input, const bp_tensor_desc& output) {
  c.images = input.dims[0];
  std::copy(input.dims + 2, input.dims + 4, c.in);
  std::copy(input.strides, input.strides + 4, c.in_strides);
  std::copy(output.dims + 2, output.dims + 4, c.out);
  std::copy(output.strides, output.strides + 4, c.out_strides);
}

i64 plane_floats(const Convolution& c) {
  return c.grid[0] * c.grid[1] * c.phases[0] * c.phases[1];
}

i64 taps_of(const Convolution& c) {
  return i64{c.taps[0]} * c.taps[1];
}

// Places of taps, planes, and what vectors reach past their end.
i64 image_floats(const Convolution& c, const Blocks& blocks) {
  return rounded_up(taps_of(c), blocks.lanes) + c.inputs * plane_floats(c) + blocks.columns;
}

bool fits(const Convolution& c, const Workers& workers) {
  return plane_floats(c) <= std::numeric_limits<i32>::max() &&
         workers.floats_each <=
             most_scratch_bytes / i64{sizeof(float)} / std::max<i64>(workers.count, 1);
}

// Enough that a thread which is late costs little.
i64 workers_for(const Programs& programs, i64 items) {
  return std::min(items, 4 * programs.compute_units());
}

}  // namespace

Convolution forward(const card::Geometry& g, const bp_tensor_desc& input,
                    const bp_tensor_desc& output) {
  Convolution c{};
  c.groups = g.groups;
  c.inputs = g.group_inputs;
  c.outputs = g.group_outputs;
  set_tensors(c, input, output);
  for (int axis = 0; axis < 2; ++axis) {
    c.taps[axis] = g.window.taps[axis];
    c.step[axis] = g.window.stride[axis];
    c.dilation[axis] = g.window.dilation[axis];
    c.gap[axis] = 1;
    c.first[axis] = -g.window.padding[axis];
  }
  lay_out(c);
  return c;
}

Convolution backward_data(const card::Geometry& g, const bp_tensor_desc& dy,
                          const bp_tensor_desc& dx) {
  Convolution c{};
  c.groups = g.groups;
  c.inputs = g.group_outputs;
  c.outputs = g.group_inputs;
  set_tensors(c, dy, dx);
  for (int axis = 0; axis < 2; ++axis) {
    c.taps[axis] = g.window.taps[axis];
    c.step[axis] = 1;
    c.dilation[axis] = g.window.dilation[axis];
    c.gap[axis] = g.window.stride[axis];
    c.first[axis] = g.window.padding[axis] - (c.taps[axis] - 1) * c.dilation[axis];
  }
  lay_out(c);
  return c;
}

std::optional<Division> divide(const Programs& programs, plugin::Request& request,
                               const Convolution& c) {
  const Blocks blocks(programs.lanes());
  const i64 panels = rounded_up(c.outputs, blocks.rows) / blocks.rows, planes = c.images * c.groups;
  const i64 wanted = 2 * programs.compute_units();
  Division division{};
  division.parts = planes >= wanted || planes == 0 ? 1 : std::min(panels, wanted / planes);
  division.parts = std::max<i64>(division.parts, 1);
  division.workers = {workers_for(programs, planes * division.parts), image_floats(c, blocks)};
  if (!fits(c, division.workers)) return std::nullopt;
  division.filters =
      reserve_floats(request, c.groups * panels * blocks.rows * c.inputs * taps_of(c));
  division.workers.scratch =
      reserve_floats(request, division.workers.count * division.workers.floats_each);
  return division;
}

std::optional<Workers> divide_weight(const Programs& programs, plugin::Request& request,
                                     const Convolution& c) {
  const Blocks blocks(programs.lanes());
  const i64 channels = rounded_up(c.outputs, blocks.rows);
  // Of the weights, three taps to a block, and of the bias.
  const i64 sums = c.groups * channels * (rounded_up(c.inputs * taps_of(c), 3) + 1) * blocks.lanes;
  const i64 positions = std::max<i64>((c.out[0] - 1) * c.grid[1] + c.out[1], 0);
  Workers workers{workers_for(programs, c.images * c.groups),
                  sums + image_floats(c, blocks) + channels * rounded_up(positions, blocks.lanes)};
  if (!fits(c, workers)) return std::nullopt;
  workers.scratch = reserve_floats(request, workers.count * workers.floats_each);
  return workers;
}

}  // namespace backplane::opencl
