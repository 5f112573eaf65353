// max_pool2d and its gradient, on our own vector code: oneDNN's drops NaN.
#include "cpu/max_pool2d.h"

#include "backend.hpp"
#include "check.hpp"
#include "cpu/plane.h"
#include "images.hpp"
#include "layout.hpp"
#include "max_pool2d.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace backplane::onednn {
namespace {

cpu::PoolWindow window_of(const op::MaxPool2dParams& params) {
  return {{params.kernel[0], params.kernel[1]},
          {params.stride[0], params.stride[1]},
          {params.padding[0], params.padding[1]},
          {params.dilation[0], params.dilation[1]}};
}

void check_pool(const Check& check, const op::MaxPool2dParams& params, const bp_tensor_desc& x,
                const bp_tensor_desc& y, const bp_tensor_desc& winners) {
  check.dtype(x, "x", {BP_F32});
  check.dtype(y, "y", {BP_F32});
  check.rank(x, "x", 4);
  check.rank(y, "y", 4);
  for (int axis = 0; axis < 2; ++axis) {
    check.that(params.kernel[axis] > 0 && params.stride[axis] > 0 && params.dilation[axis] > 0,
               "kernel, stride and dilation are 1 up");
    check.that(params.padding[axis] >= 0 && params.padding[axis + 2] >= 0,
               "padding is never negative");
  }
  // The caller rounds down or up: a window may stick out.
  check.dims(y, "y", {x.dims[0], x.dims[1], y.dims[2], y.dims[3]});
  check.same_dims(winners, "winners", y);
  const std::int64_t taps = std::int64_t{params.kernel[0]} * params.kernel[1];
  if (taps > 65534) throw check.unsupported("a window of more than 65534 elements");
  check.dtype(winners, "winners", {taps > 254 ? BP_U16 : BP_U8});
}

void check_one_layout(const Check& check, const bp_tensor_desc& a, const bp_tensor_desc& b) {
  if (block_of(a) != block_of(b)) throw check.unsupported("a mix of strided and private layouts");
}

// pool(run, channel, channels, rows, x, y, winners) does some rows of one image, whose first
// channel has that number in the batch.
template <class Winner, class Pool>
std::unique_ptr<plugin::Plan> plan_rows(plugin::Request& request, const Pool& pool) {
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const bp_tensor_desc& winners = request.outputs[1];
  const std::int64_t channels = channels_together({&x, &y, &winners});
  const Images from(x, channels), to(y, channels), won(winners, channels);
  const std::int64_t rows = x.dims[0] * to.groups * to.height;
  const unsigned parts = parts_for(element_count(x), request.threads);
  request.implementation = channels > 1 ? "vectors of channels" : "neighbours of a row";
  return make_plan(request, [=](const plugin::HostRun& run) {
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(rows, part, parts);
      for (std::int64_t row = mine.begin; row < mine.end;) {
        const std::int64_t image = row / to.height, first = row % to.height;
        const std::int64_t last = std::min(to.height, first + mine.end - row);
        pool(run, image * channels, channels, Share{first, last},
             from.at(run.input<float>(0), image), to.at(run.output<float>(0), image),
             won.at(run.output<Winner>(1), image));
        row += last - first;
      }
    });
  });
}

template <class Winner>
std::unique_ptr<plugin::Plan> plan_forward(const op::MaxPool2d& op, plugin::Request& request) {
  return plan_rows<Winner>(
      request, [window = window_of(op)](const plugin::HostRun&, std::int64_t, std::int64_t channels,
                                        Share rows, auto&& x, auto&& y, auto&& winners) {
        cpu::max_pool2d(window, channels, rows.begin, rows.end, x, y, winners);
      });
}

// The layouts of both outputs follow that of x.
void settle_outputs(const Check& check, plugin::Request& request) {
  const bp_tensor_desc& x = request.inputs[0];
  bp_tensor_desc &y = request.outputs[0], &winners = request.outputs[1];
  if (y.layout == BP_LAYOUT_ANY) set_like(y, x);
  if (winners.layout == BP_LAYOUT_ANY) set_like(winners, y);
  check_one_layout(check, x, y);
  check_one_layout(check, y, winners);
}

template <class Winner>
std::unique_ptr<plugin::Plan> plan_backward(const op::MaxPool2dBackward& op,
                                            plugin::Request& request) {
  const bp_tensor_desc &dy = request.inputs[0], &winners = request.inputs[1];
  const bp_tensor_desc& dx = request.outputs[0];
  const std::int64_t channels = channels_together({&dx, &dy, &winners});
  const Images from(dy, channels), to(dx, channels), won(winners, channels);
  const std::int64_t images = dx.dims[0] * to.groups;
  const std::int64_t dx_bytes = element_count(dx) * static_cast<std::int64_t>(sizeof(float));
  const bool bypasses_cache = dx_bytes >= cpu::bytes_that_bypass_cache;
  const unsigned parts = parts_for(element_count(dx), request.threads);
  request.implementation = channels > 1 ? "vectors of channels" : "neighbours of a row";
  return make_plan(request, [=, window = window_of(op)](const plugin::HostRun& run) {
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(images, part, parts);
      for (std::int64_t image = mine.begin; image < mine.end; ++image) {
        cpu::max_pool2d_backward(
            window, channels, bypasses_cache, from.at(run.input<float>(0), image),
            won.at(run.input<Winner>(1), image), to.at(run.output<float>(0), image));
      }
    });
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> plan_relu_max_pool2d(const Check& check,
                                                   const op::MaxPool2dParams& params,
                                                   plugin::Request& request) {
  const bp_tensor_desc& x = request.inputs[0];
  check_pool(check, params, x, request.outputs[0], request.outputs[1]);
  settle_outputs(check, request);
  if (request.inputs.size() > 1) {
    bp_tensor_desc& mask = request.inputs[1];
    check.dtype(mask, "mask", {BP_F32});
    check.dims(mask, "mask", {x.dims[0], x.dims[1]});
    if (!is_row_major(mask)) set_row_major(mask);
  }
  return plan_rows<std::uint8_t>(
      request, [window = window_of(params)](const plugin::HostRun& run, std::int64_t channel,
                                            std::int64_t channels, Share rows, auto&& x, auto&& y,
                                            auto&& winners) {
        const float* mask = run.input<float>(1);
        cpu::relu_max_pool2d(window, channels, rows.begin, rows.end,
                             mask == nullptr ? nullptr : mask + channel, x, y, winners);
      });
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::MaxPool2d& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::MaxPool2d>, request);
  check.inputs(1, 1);
  check.outputs(2, 2);
  const bp_tensor_desc& winners = request.outputs[1];
  check_pool(check, op, request.inputs[0], request.outputs[0], winners);
  settle_outputs(check, request);
  return winners.dtype == BP_U8 ? plan_forward<std::uint8_t>(op, request)
                                : plan_forward<std::uint16_t>(op, request);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::MaxPool2dBackward& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::MaxPool2dBackward>, request);
  check.inputs(2, 2);
  check.outputs(1, 1);
  bp_tensor_desc &dy = request.inputs[0], &winners = request.inputs[1], &dx = request.outputs[0];
  check_pool(check, op, dx, dy, winners);
  if (dx.layout == BP_LAYOUT_ANY) set_like(dx, winners);
  if (is_dense(winners) && !same_layout(dy, winners)) set_like(dy, winners);
  if (block_of(dy) != block_of(winners)) set_like(winners, dy);
  check_one_layout(check, dx, dy);
  return winners.dtype == BP_U8 ? plan_backward<std::uint8_t>(op, request)
                                : plan_backward<std::uint16_t>(op, request);
}

}  // namespace backplane::onednn
