// The CPU as a device: oneDNN's convolutions and matrix products, our own vector code for the rest.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "backplane/plugin/host_backend.hpp"
#include "widened.hpp"

namespace backplane::onednn {

class OnednnDevice final : public plugin::HostDevice<OnednnDevice> {
 public:
  void info(bp_device_info& info) override;
  void layout_info(const bp_tensor_desc& desc, bp_layout_info& info) override;
  std::unique_ptr<plugin::Queue> create_queue() override;
  // "bf16", for plans made from then on: "native" multiplies in oneDNN's kernels of that type,
  // "widened" in those of f32, which is the default on CPUs without bf16 instructions.
  void set_option(const std::string& key, const std::string& value) override;

  // One for each row of ops.hpp, defined in the file of the operation's name; a gradient stands
  // beside what it is the gradient of.
#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic) \
  std::unique_ptr<plugin::Plan> plan(const op::Op&, plugin::Request&);
  BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

 private:
  // Whether a product of such operands takes the road of widened.hpp.
  [[nodiscard]] bool widens(const bp_tensor_desc& factor) const {
    return factor.dtype == BP_F16 || (factor.dtype == BP_BF16 && !native_bf16_);
  }

  std::atomic<bool> native_bf16_ = has_bf16_instructions();
};

}  // namespace backplane::onednn
