// The plug-in's entry: its one device, and the choice between immediate and delayed queues.
#include "backend.hpp"

#include "backplane/plugin/tiled_run.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

namespace backplane::reference {
namespace {

// Null where BACKPLANE_REFERENCE_ASYNC isn't set.
std::shared_ptr<Scheduler> scheduler_from_environment() {
  const char* text = std::getenv("BACKPLANE_REFERENCE_ASYNC");
  if (text == nullptr) return nullptr;
  std::uint64_t seed = 0;
  const char* end = text + std::strlen(text);
  const auto [parsed, error] = std::from_chars(text, end, seed);
  if (error != std::errc{} || parsed != end) {
    throw plugin::invalid(
        "BACKPLANE_REFERENCE_ASYNC: the seed must be a whole number from 0 to 2^64 - 1, it is '" +
        std::string(text) + "'; unset it to run without delays");
  }
  return std::make_shared<Scheduler>(seed);
}

class ReferenceQueue final : public plugin::InlineQueue {
 public:
  void run_tiled(const bp_tiled_run& run) override { plugin::run_tiles(run, faults, in_turn); }
};

struct ReferenceBackend {
  static constexpr const char* name = "reference";
  static constexpr const char* version = BACKPLANE_REFERENCE_VERSION;
  static constexpr plugin::Offers offers{.preparation = true, .tiled_runs = true};
  static std::uint32_t device_count() { return 1; }
  static plugin::Diagnosis diagnose() { return {}; }
  static std::unique_ptr<plugin::Device> open(std::uint32_t index) {
    if (index != 0) {
      throw plugin::Failure(BP_NOT_FOUND, "reference: there is one device, number 0; asked for " +
                                              std::to_string(index));
    }
    return std::make_unique<ReferenceDevice>(scheduler_from_environment());
  }
};

}  // namespace

void ReferenceDevice::info(bp_device_info& info) {
  HostDevice::info(info);
  info.compute_units = 1;
  info.asynchronous = scheduler_ ? 1 : 0;
  plugin::copy_text(info.name, sizeof info.name, "plain loops, double accumulation");
  plugin::copy_text(info.driver, sizeof info.driver, BACKPLANE_REFERENCE_VERSION);
}

std::unique_ptr<plugin::Queue> ReferenceDevice::create_queue() {
  if (scheduler_) return std::make_unique<DelayedQueue>(scheduler_);
  return std::make_unique<ReferenceQueue>();
}

std::unique_ptr<plugin::Event> ReferenceDevice::create_event() {
  if (scheduler_) return std::make_unique<DelayedEvent>(scheduler_);
  return HostDevice::create_event();
}

}  // namespace backplane::reference

BACKPLANE_BACKEND(backplane::reference::ReferenceBackend)
