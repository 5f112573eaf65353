// mul of two tensors.
#include "cpu/mul.h"

#include "backend.hpp"
#include "binary.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Mul&, plugin::Request& request) {
  return plan_binary<op::Mul>(
      request, [](cpu::Plane plane, auto a, auto b, auto dst) { cpu::mul(plane, a, b, dst); });
}

}  // namespace backplane::onednn
