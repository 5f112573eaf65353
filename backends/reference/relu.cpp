// relu and its gradient.
#include <cmath>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Relu&, plugin::Request& request) {
  Check check(op::row_of<op::Relu>, request);
  check.arguments({{"x", floating}}, {{"y", floating}});
  check.same_dims(request.inputs[0], "x", request.outputs[0]);
  return make_plan<op::Relu>(request, [](const Call& call) {
    auto y = call.load(0);
    for (double& value : y) value = value > 0 || std::isnan(value) ? value : 0.0;
    call.store(0, std::move(y));
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ReluBackward&,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::ReluBackward>, request);
  check.arguments({{"dy", floating}, {"y", floating}}, {{"dx", floating}});
  check.same_dims(request.inputs[0], "dy", request.outputs[0]);
  check.same_dims(request.inputs[1], "y", request.outputs[0]);
  return make_plan<op::ReluBackward>(request, [](const Call& call) {
    auto dx = call.load(0);
    const auto y = call.load(1);
    for (std::size_t i = 0; i < dx.size(); ++i) {
      if (y[i] <= 0) dx[i] = 0.0;
    }
    call.store(0, std::move(dx));
  });
}

}  // namespace backplane::reference
