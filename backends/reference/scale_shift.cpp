// scale_shift: y = x * scale + shift.
#include <cmath>

#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::ScaleShift&,
                                                    plugin::Request& request) {
  Check check(op::row_of<op::ScaleShift>, request);
  check.arguments({{"x", floating}, {"scale", floating}, {"shift", floating}}, {{"y", floating}});
  const char* const names[] = {"x", "scale", "shift"};
  for (std::size_t i = 0; i < 3; ++i) {
    check.same_dims(request.inputs[i], names[i], request.outputs[0]);
  }
  return make_plan<op::ScaleShift>(request, [](const Call& call) {
    auto y = call.load(0);
    const auto scale = call.load(1), shift = call.load(2);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::fma(y[i], scale[i], shift[i]);
    call.store(0, std::move(y));
  });
}

}  // namespace backplane::reference
