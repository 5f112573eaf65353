// max_pool2d and its gradient.
#include "backend.hpp"
#include "check.hpp"
#include "max_pool.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::MaxPool2d& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::MaxPool2d>, request);
  check.arguments({{"x", floating}},
                  {{"y", floating}, {"winners", only(BP_U8) | only(BP_U16), true}});
  const MaxPool pool = fit_max_pool(check, op, request.inputs[0], request.outputs[0]);
  if (request.outputs.size() > 1)
    check_winners(check, pool, request.outputs[1], request.outputs[0]);
  return make_plan<op::MaxPool2d>(request, [pool](const Call& call) {
    MaxPool::Result result = pool.forward(call.load(0));
    call.store(0, std::move(result.y));
    if (call.has_output(1)) call.store(1, std::move(result.winners));
  });
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::MaxPool2dBackward& op,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::MaxPool2dBackward>, request);
  check.arguments({{"dy", floating}, {"winners", only(BP_U8) | only(BP_U16)}}, {{"dx", floating}});
  const MaxPool pool = fit_max_pool(check, op, request.outputs[0], request.inputs[0]);
  check_winners(check, pool, request.inputs[1], request.inputs[0]);
  return make_plan<op::MaxPool2dBackward>(request, [pool](const Call& call) {
    call.store(0, pool.backward(call.load(0), call.load<std::int64_t>(1)));
  });
}

}  // namespace backplane::reference
