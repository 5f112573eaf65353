// relu and its gradient.
#include "check.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {

std::unique_ptr<plugin::Plan> Plans::plan(const op::Relu&, plugin::Request& request) {
  Check check(op::row_of<op::Relu>, request);
  check.arguments({{"x", floats}}, {{"y", floats}});
  check.one_type();
  check.one_shape();
  const bp_tensor_desc& y = request.outputs[0];
  return make_plan<op::Relu>(
      request, "elementwise kernel",
      [walk = nest({&y, &request.inputs[0]}), dtype = static_cast<i32>(y.dtype)](const Call& call) {
        launch(call.queue, kernel::relu, items(walk.count), walk, call.output(0), call.input(0),
               dtype);
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::ReluBackward&, plugin::Request& request) {
  Check check(op::row_of<op::ReluBackward>, request);
  check.arguments({{"dy", floats}, {"y", floats}}, {{"dx", floats}});
  check.one_type();
  check.one_shape();
  const bp_tensor_desc& dx = request.outputs[0];
  return make_plan<op::ReluBackward>(request, "elementwise kernel",
                                     [walk = nest({&dx, &request.inputs[0], &request.inputs[1]}),
                                      dtype = static_cast<i32>(dx.dtype)](const Call& call) {
                                       launch(call.queue, kernel::relu_backward, items(walk.count),
                                              walk, call.output(0), call.input(0), call.input(1),
                                              dtype);
                                     });
}

}  // namespace backplane::card
