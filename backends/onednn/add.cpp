// add of two tensors.
#include "cpu/add.h"

#include "backend.hpp"
#include "binary.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Add&, plugin::Request& request) {
  return plan_binary<op::Add>(
      request, [](cpu::Plane plane, auto a, auto b, auto dst) { cpu::add(plane, a, b, dst); });
}

}  // namespace backplane::onednn
