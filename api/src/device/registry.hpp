// All devices of the process, found once at first use.
#pragma once

#include <memory>
#include <vector>

#include "device/device_state.hpp"

namespace backplane::detail {

class Registry {
 public:
  // Never destroyed: handles and plug-ins stay valid while other statics are taken down.
  static Registry& instance();

  [[nodiscard]] DeviceState& host() { return host_; }
  // In the order that users see: GPUs, then others, `reference` last.
  [[nodiscard]] const std::vector<std::unique_ptr<DeviceState>>& devices() const {
    return devices_;
  }
  [[nodiscard]] const std::vector<AbsentBackend>& absent() const { return absent_; }

 private:
  Registry();
  void add_devices(const Backend& backend);
  void add_missing_backends();

  LoadResult loaded_;
  DeviceState host_;
  std::vector<std::unique_ptr<DeviceState>> devices_;
  std::vector<AbsentBackend> absent_;
};

}  // namespace backplane::detail
