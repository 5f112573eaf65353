// add: y = a + b.
#include "device.hpp"
#include "elementwise.hpp"

namespace backplane::cuda {

std::unique_ptr<plugin::Plan> CudaDevice::plan(const op::Add&, plugin::Request& request) {
  return plan_binary<op::Add>(request, add_float, add_integer);
}

}  // namespace backplane::cuda
