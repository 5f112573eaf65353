// conv2d and its gradients on CPUs; elsewhere, and where scratch memory would get too large, they
// are those of all cards.
#include "convolution.hpp"
#include "device.hpp"
#include "kernels.hpp"

namespace backplane::opencl {
namespace {

using card::Call;
using card::Check;
using card::Memory;

// Filters into panels, then the sums.
struct Direct {
  Convolution c;
  Division division;
  i64 output_step, input_step, bias_step;
  bool has_bias, flipped;

  void enqueue(const Call& call, const Memory& y, const Memory& x, const Memory& weight,
               const Memory& bias) const {
    const Memory filters = call.workspace(division.filters);
    const Memory scratch = call.workspace(division.workers.scratch);
    card::launch(call.queue, kernel::pack_filters, card::groups(c.groups * c.outputs), c,
                 output_step, input_step, flipped, filters, weight);
    card::launch(call.queue, kernel::conv2d_blocked, card::groups(division.workers.count), c,
                 division.parts, division.workers.floats_each, y, x, filters, bias, bias_step,
                 has_bias, scratch);
  }
};

struct DirectWeight {
  Convolution c, sums;  // the same with the strides of dweight in place of dy's
  Workers workers;
  i64 bias_step;
  bool has_dbias;
  std::uint32_t adds_to;

  void enqueue(const Call& call) const {
    const Memory scratch = call.workspace(workers.scratch);
    card::launch(call.queue, kernel::conv2d_weight_blocked, card::groups(workers.count), c,
                 workers.floats_each, call.input(0), call.input(1), scratch);
    card::launch(call.queue, kernel::conv2d_weight_sum,
                 card::items(c.groups * c.outputs * c.inputs * c.taps[0] * c.taps[1]), sums,
                 workers.count, workers.floats_each, call.output(0), scratch, (adds_to & 1) != 0);
    if (!has_dbias) return;
    card::launch(call.queue, kernel::conv2d_bias_sum, card::items(c.groups * c.outputs), c,
                 workers.count, workers.floats_each, call.output(1), bias_step, scratch,
                 (adds_to & 2) != 0);
  }
};

i64 taps_of(const Convolution& c) {
  return i64{c.taps[0]} * c.taps[1];
}

}  // namespace

std::unique_ptr<plugin::Plan> OpenclDevice::plan(const op::Conv2d& op, plugin::Request& request) {
  if (programs_.family() == Family::gpu) return Plans::plan(op, request);
  Check check(op::row_of<op::Conv2d>, request);
  check.arguments({{"input"}, {"weight"}, {"bias", card::f32, true}}, {{"y"}});
  const bp_tensor_desc &input = request.inputs[0], &y = request.outputs[0];
  bp_tensor_desc& weight = request.inputs[1];
  const card::Geometry geometry = card::fit(check, op, input, weight, y);
  const Convolution c = forward(geometry, input, y);
  const bool has_bias = request.inputs.size() > 2;
  if (has_bias) check.dims(request.inputs[2], "bias", {geometry.output_channels()});
  const std::optional<Division> division = divide(programs_, request, c);
  if (!division) return Plans::plan(op, request);
  card::set_dense_strides(weight);
  const Direct plan{c,
                    *division,
                    c.inputs * taps_of(c),
                    taps_of(c),
                    has_bias ? request.inputs[2].strides[0] : 0,
                    has_bias,
                    false};
  return card::make_plan<op::Conv2d>(request, "direct, blocked", [plan](const Call& call) {
    plan.enqueue(call, call.output(0), call.input(0), call.input(1), call.input(2));
  });
}

std::unique_ptr<plugin::Plan> OpenclDevice::plan(const op::Conv2dBackwardData& op,
                                                 plugin::Request& request) {
  if (programs_.family() == Family::gpu) return Plans::plan(op, request);
  Check check(op::row_of<op::Conv2dBackwardData>, request);
  check.arguments({{"dy"}, {"weight"}}, {{"dx"}});
  const bp_tensor_desc &dy = request.inputs[0], &dx = request.outputs[0];
  bp_tensor_desc& weight = request.inputs[1];
  const Convolution c = backward_data(card::fit(check, op, dx, weight, dy), dy, dx);
  const std::optional<Division> division = divide(programs_, request, c);
  if (!division) return Plans::plan(op, request);
  card::set_dense_strides(weight);
  const Direct plan{c, *division, taps_of(c), c.outputs * taps_of(c), 0, false, true};
  return card::make_plan<op::Conv2dBackwardData>(
      request, "direct, blocked", [plan](const Call& call) {
        plan.enqueue(call, call.output(0), call.input(0), call.input(1), Memory{});
      });
}

std::unique_ptr<plugin::Plan> OpenclDevice::plan(const op::Conv2dBackwardWeight& op,
                                                 plugin::Request& request) {
  if (programs_.family() == Family::gpu) return Plans::plan(op, request);
  Check check(op::row_of<op::Conv2dBackwardWeight>, request);
  check.arguments({{"input"}, {"dy"}}, {{"dweight"}, {"dbias", card::f32, true}});
  const bp_tensor_desc &input = request.inputs[0], &dy = request.inputs[1];
  const bp_tensor_desc& dweight = request.outputs[0];
  const card::Geometry geometry = card::fit(check, op, input, dweight, dy);
  const bool has_dbias = request.outputs.size() > 1;
  if (has_dbias) check.dims(request.outputs[1], "dbias", {geometry.output_channels()});
  const Convolution c = forward(geometry, input, dy);
  const std::optional<Workers> workers = divide_weight(programs_, request, c);
  if (!workers) return Plans::plan(op, request);
  DirectWeight plan{
      c, c, *workers, has_dbias ? request.outputs[1].strides[0] : 0, has_dbias, request.adds_to};
  std::copy(dweight.strides, dweight.strides + 4, plan.sums.out_strides);
  return card::make_plan<op::Conv2dBackwardWeight>(
      request, "direct, blocked", [plan](const Call& call) { plan.enqueue(call); });
}

}  // namespace backplane::opencl
