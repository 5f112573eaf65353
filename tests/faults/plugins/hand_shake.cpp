// A plug-in whose table is spoiled by one statement, BACKPLANE_TEST_SPOIL, as the build gives it.
#include "backplane/plugin/host_backend.hpp"

namespace {

using namespace backplane;

struct Device final : plugin::HostDevice<Device> {};

struct Backend {
  static constexpr const char* name = "twin";
  static constexpr const char* version = "1";
  static std::uint32_t device_count() { return 0; }
  static plugin::Diagnosis diagnose() { return {"no twin is plugged in", "plug one in"}; }
  static std::unique_ptr<plugin::Device> open(std::uint32_t) { return std::make_unique<Device>(); }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const bp_backend* backplane_backend(
    const bp_host* host) {
  static bp_backend table = *plugin::make_table<Backend>(host);
  BACKPLANE_TEST_SPOIL;
  return &table;
}
