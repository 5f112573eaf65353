// conv2d_relu_max_pool and its gradients, which go through the winners.
#include <cmath>

#include "backend.hpp"
#include "backplane/plugin/parts.hpp"
#include "convolution.hpp"
#include "max_pool.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

struct Fused {
  Convolution convolution;
  MaxPool pool;
};

Fused fit(const Check& check, const op::Conv2dReluMaxPoolParams& params,
          const bp_tensor_desc& input, const bp_tensor_desc& weight, const bp_tensor_desc& y,
          const bp_tensor_desc& winners) {
  const Convolution convolution = fit_convolution(check, params.conv, input, weight, nullptr);
  bp_tensor_desc dense = input;
  dense.dims[1] = convolution.output_channels();
  dense.dims[2] = convolution.out[0];
  dense.dims[3] = convolution.out[1];
  const MaxPool pool = fit_max_pool(check, plugin::pool_of(params), dense, y);
  check.that(pool.taps() <= 254, "a pool window has at most 254 elements");
  check_winners(check, pool, winners, y);
  return {convolution, pool};
}

// Where nothing is above 0 there is no winner; where the mask is 0 the channel is dropped.
void finish(const Fused& fused, MaxPool::Result& pooled, const std::vector<double>* mask) {
  const std::int64_t plane = fused.pool.out[0] * fused.pool.out[1];
  for (std::size_t i = 0; i < pooled.y.size(); ++i) {
    const double scale = mask == nullptr ? 1 : (*mask)[i / static_cast<std::size_t>(plane)];
    if (pooled.y[i] <= 0 || scale == 0) {
      pooled.y[i] = 0;
      pooled.winners[i] = MaxPool::no_winner;
    } else {
      pooled.y[i] *= scale;
    }
  }
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2dReluMaxPool& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2dReluMaxPool>, request);
  check.arguments(
      {{"input", floating}, {"weight", floating}, {"bias", floating}, {"mask", floating, true}},
      {{"y", floating}, {"winners", only(BP_U8)}});
  const Fused fused =
      fit(check, op, request.inputs[0], request.inputs[1], request.outputs[0], request.outputs[1]);
  check.dims(request.inputs[2], "bias", {fused.convolution.output_channels()});
  if (request.inputs.size() > 3) {
    check.dims(request.inputs[3], "mask",
               {fused.convolution.samples, fused.convolution.output_channels()});
  }
  return make_plan<op::Conv2dReluMaxPool>(request, [fused](const Call& call) {
    const auto bias = call.load(2);
    MaxPool::Result result =
        fused.pool.forward(fused.convolution.forward(call.load(0), call.load(1), &bias));
    finish(fused, result, call.load_optional(3).get());
    call.store(0, std::move(result.y));
    call.store(1, std::move(result.winners));
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2dReluMaxPoolBackwardData& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2dReluMaxPoolBackwardData>, request);
  check.arguments({{"dy", floating}, {"winners", only(BP_U8)}, {"weight", floating}},
                  {{"dx", floating}});
  const Fused fused =
      fit(check, op, request.outputs[0], request.inputs[2], request.inputs[0], request.inputs[1]);
  return make_plan<op::Conv2dReluMaxPoolBackwardData>(request, [fused](const Call& call) {
    const auto dense = fused.pool.backward(call.load(0), call.load<std::int64_t>(1));
    call.store(0, fused.convolution.backward_data(dense, call.load(2)));
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2dReluMaxPoolBackwardWeight& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2dReluMaxPoolBackwardWeight>, request);
  check.arguments({{"input", floating}, {"dy", floating}, {"winners", only(BP_U8)}},
                  {{"dweight", floating}, {"dbias", floating, true}});
  const Fused fused =
      fit(check, op, request.inputs[0], request.outputs[0], request.inputs[1], request.inputs[2]);
  if (request.outputs.size() > 1) {
    check.dims(request.outputs[1], "dbias", {fused.convolution.output_channels()});
  }
  return make_plan<op::Conv2dReluMaxPoolBackwardWeight>(request, [fused](const Call& call) {
    const auto dense = fused.pool.backward(call.load(1), call.load<std::int64_t>(2));
    call.store(0, fused.convolution.backward_weight(call.load(0), dense));
    if (call.has_output(1)) call.store(1, fused.convolution.backward_bias(dense));
  });
}

}  // namespace backplane::reference
