// The CPU as a device: oneDNN's convolutions and matrix products, our own vector code for the rest.
#pragma once

#include <memory>

#include "backplane/plugin/host_backend.hpp"

namespace backplane::onednn {

class OnednnDevice final : public plugin::HostDevice<OnednnDevice> {
 public:
  void info(bp_device_info& info) override;
  void layout_info(const bp_tensor_desc& desc, bp_layout_info& info) override;
  std::unique_ptr<plugin::Queue> create_queue() override;

  // One for each row of ops.hpp, defined in the file of the operation's name; a gradient stands
  // beside what it is the gradient of.
#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic) \
  std::unique_ptr<plugin::Plan> plan(const op::Op&, plugin::Request&);
  BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
};

}  // namespace backplane::onednn
