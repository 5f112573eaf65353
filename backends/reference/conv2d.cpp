// conv2d and its gradients.
#include "backend.hpp"
#include "check.hpp"
#include "convolution.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2d& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2d>, request);
  check.arguments({{"input", floating}, {"weight", floating}, {"bias", floating, true}},
                  {{"y", floating}});
  const Convolution convolution =
      fit_convolution(check, op, request.inputs[0], request.inputs[1], &request.outputs[0]);
  if (request.inputs.size() > 2) {
    check.dims(request.inputs[2], "bias", {convolution.output_channels()});
  }
  return make_plan<op::Conv2d>(request, [convolution](const Call& call) {
    call.store(0, convolution.forward(call.load(0), call.load(1), call.load_optional(2).get()));
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2dBackwardData& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2dBackwardData>, request);
  check.arguments({{"dy", floating}, {"weight", floating}}, {{"dx", floating}});
  const Convolution convolution =
      fit_convolution(check, op, request.outputs[0], request.inputs[1], &request.inputs[0]);
  return make_plan<op::Conv2dBackwardData>(request, [convolution](const Call& call) {
    call.store(0, convolution.backward_data(call.load(0), call.load(1)));
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2dBackwardWeight& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2dBackwardWeight>, request);
  check.arguments({{"input", floating}, {"dy", floating}},
                  {{"dweight", floating}, {"dbias", floating, true}});
  const Convolution convolution =
      fit_convolution(check, op, request.inputs[0], request.outputs[0], &request.inputs[1]);
  if (request.outputs.size() > 1) {
    check.dims(request.outputs[1], "dbias", {convolution.output_channels()});
  }
  return make_plan<op::Conv2dBackwardWeight>(request, [convolution](const Call& call) {
    const auto dy = call.load(1);
    call.store(0, convolution.backward_weight(call.load(0), dy));
    if (call.has_output(1)) call.store(1, convolution.backward_bias(dy));
  });
}

}  // namespace backplane::reference
