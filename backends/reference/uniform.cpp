// uniform: random numbers, evenly between two bounds.
#include <cmath>

#include "backend.hpp"
#include "backplane/plugin/philox.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Uniform&, plugin::Request& request) {
  Check(op::row_of<op::Uniform>, request).arguments({}, {{"y", floating}});
  const auto count = static_cast<std::size_t>(element_count(request.outputs[0]));
  return make_plan<op::Uniform>(request, [count](const Call& call) {
    const auto [draw, low, high] = call.scalars<op::Uniform>();
    std::vector<double> y(count);
    for (std::size_t i = 0; i < count; ++i) {
      // In float, as on every device, so that the bits agree.
      y[i] = std::fma(philox::uniform(philox::word(draw, i, 0)), high - low, low);
    }
    call.store(0, std::move(y));
  });
}

}  // namespace backplane::reference
