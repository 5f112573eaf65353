// max_pool2d and its gradient.
#include "max_pool2d.hpp"

#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

Window fit_pool(const Check& check, const op::MaxPool2dParams& params, const bp_tensor_desc& x,
                const bp_tensor_desc& y) {
  check.rank(x, "x", 4);
  check.rank(y, "y", 4);
  check.dims(y, "y", {x.dims[0], x.dims[1], y.dims[2], y.dims[3]});
  Window window{};
  for (int axis = 0; axis < 2; ++axis) {
    check.that(params.kernel[axis] > 0 && params.stride[axis] > 0 && params.dilation[axis] > 0,
               "kernel, stride and dilation must be at least 1");
    check.that(params.padding[axis] >= 0 && params.padding[axis + 2] >= 0,
               "padding must not be negative");
    window.in[axis] = x.dims[2 + axis];
    window.out[axis] = y.dims[2 + axis];  // the caller rounds; a window may stick out
    window.taps[axis] = params.kernel[axis];
    window.stride[axis] = params.stride[axis];
    window.padding[axis] = params.padding[axis];
    window.dilation[axis] = params.dilation[axis];
  }
  std::copy(x.strides, x.strides + 4, window.in_strides);
  return window;
}

namespace {

// Returns whether winners are u16.
bool check_winners(const Check& check, const Window& window, const bp_tensor_desc& winners,
                   const bp_tensor_desc& y) {
  const i64 taps = i64{window.taps[0]} * window.taps[1];
  check.same_dims(winners, "winners", y);
  check.that(taps <= 65534 && winners.dtype == (taps <= 254 ? BP_U8 : BP_U16),
             "the winners of " + std::to_string(taps) +
                 " taps take u8 up to 254 and u16 up to 65534, got " + dtype_name(winners.dtype));
  return winners.dtype == BP_U16;
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::MaxPool2d& op, plugin::Request& request) {
  Check check(op::row_of<op::MaxPool2d>, request);
  check.arguments({{"x"}}, {{"y"}, {"winners", only(BP_U8) | only(BP_U16), true}});
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const Window window = fit_pool(check, op, x, y);
  const bool keeps = request.outputs.size() > 1;
  const bp_tensor_desc& winners = keeps ? request.outputs[1] : y;
  const bool wide = keeps && check_winners(check, window, winners, y);
  const bp_tensor_desc planes = planes_of(x, y);
  return make_plan<op::MaxPool2d>(
      request, "window kernel",
      [walk = nest({&y, &winners, &planes}), window, keeps, wide](const Call& call) {
        launch(call.queue, kernel::max_pool2d, items(walk.count), walk, window, call.output(0),
               call.output(1), call.input(0), keeps, wide);
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::MaxPool2dBackward& op,
                                          plugin::Request& request) {
  Check check(op::row_of<op::MaxPool2dBackward>, request);
  check.arguments({{"dy"}, {"winners", only(BP_U8) | only(BP_U16)}}, {{"dx"}});
  bp_tensor_desc &dy = request.inputs[0], &winners = request.inputs[1];
  const bp_tensor_desc& dx = request.outputs[0];
  const Window window = fit_pool(check, op, dx, dy);
  const bool wide = check_winners(check, window, winners, dy);
  set_dense_strides(dy);
  set_dense_strides(winners);
  return make_plan<op::MaxPool2dBackward>(
      request, "gathering kernel", [walk = nest({&dx}), window, wide](const Call& call) {
        launch(call.queue, kernel::max_pool2d_backward, items(walk.count), walk, window,
               call.output(0), call.input(0), call.input(1), wide);
      });
}

}  // namespace backplane::card
