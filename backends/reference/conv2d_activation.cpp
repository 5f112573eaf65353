// conv2d_activation: a convolution, then a function of each element.
#include "activate.hpp"
#include "backend.hpp"
#include "convolution.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Conv2dActivation& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::Conv2dActivation>, request);
  check.arguments({{"input", floating}, {"weight", floating}, {"bias", floating, true}},
                  {{"y", floating}});
  check_activation(check, op.activation);
  const Convolution convolution =
      fit_convolution(check, op, request.inputs[0], request.inputs[1], &request.outputs[0]);
  if (request.inputs.size() > 2) {
    check.dims(request.inputs[2], "bias", {convolution.output_channels()});
  }
  return make_plan<op::Conv2dActivation>(
      request, [convolution, activation = op.activation](const Call& call) {
        std::vector<double> y =
            convolution.forward(call.load(0), call.load(1), call.load_optional(2).get());
        activate(activation, y);
        call.store(0, std::move(y));
      });
}

}  // namespace backplane::reference
