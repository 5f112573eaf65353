// mul: y = a * b.
#include "device.hpp"
#include "elementwise.hpp"

namespace backplane::cuda {

std::unique_ptr<plugin::Plan> CudaDevice::plan(const op::Mul&, plugin::Request& request) {
  return plan_binary<op::Mul>(request, mul_float, mul_integer);
}

}  // namespace backplane::cuda
