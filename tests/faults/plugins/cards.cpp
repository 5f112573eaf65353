// A back end with cards that can't compute; the build gives its name and their bus ids.
#include <array>

#include "backplane/plugin/host_backend.hpp"

namespace {

using namespace backplane;

constexpr std::array bus_ids{BACKPLANE_TEST_BUS_IDS};

struct Card final : plugin::HostDevice<Card> {
  explicit Card(std::uint32_t index) : index(index) {}
  void info(bp_device_info& info) override {
    HostDevice::info(info);
    info.kind = BP_KIND_GPU;
    plugin::copy_text(info.unique_id, sizeof info.unique_id, bus_ids[index]);
  }
  const std::uint32_t index;
};

struct Backend {
  static constexpr const char* name = BACKPLANE_TEST_NAME;
  static constexpr const char* version = "1";
  static std::uint32_t device_count() { return static_cast<std::uint32_t>(bus_ids.size()); }
  static plugin::Diagnosis diagnose() { return {}; }
  static std::unique_ptr<plugin::Device> open(std::uint32_t index) {
    return std::make_unique<Card>(index);
  }
};

}  // namespace

BACKPLANE_BACKEND(Backend)
