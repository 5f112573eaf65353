// normal: random numbers, normally distributed.
#include "backend.hpp"
#include "backplane/plugin/philox.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Normal&, plugin::Request& request) {
  Check(op::row_of<op::Normal>, request).arguments({}, {{"y", floating}});
  const auto count = static_cast<std::size_t>(element_count(request.outputs[0]));
  return make_plan<op::Normal>(request, [count](const Call& call) {
    const auto [draw, mean, deviation] = call.scalars<op::Normal>();
    std::vector<double> y(count);
    for (std::size_t i = 0; i < count; ++i) {
      y[i] = double{mean} + double{deviation} * philox::normal_at(draw, i, 0);
    }
    call.store(0, std::move(y));
  });
}

}  // namespace backplane::reference
