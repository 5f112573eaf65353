// Reads and checks the BACKPLANE_SIM_* variables.
#include "runtime/settings.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace backplane::sim {
namespace {

[[noreturn]] void refuse(const char* name, const char* value, const char* expected) {
  std::fprintf(stderr, "[backplane-sim] %s=%s: expected %s\n", name, value, expected);
  _exit(98);
}

uint64_t number(const char* name, uint64_t otherwise, uint64_t most = ~0ull) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const uint64_t value = std::strtoull(text, &end, 10);
  if (*end != '\0' || *text == '-' || value > most) refuse(name, text, "a number in range");
  return value;
}

void read_order(Settings& settings) {
  const char* text = std::getenv("BACKPLANE_SIM_ORDER");
  const std::string order = text == nullptr ? "lazy" : text;
  if (order == "eager") {
    settings.order = StreamOrder::eager;
  } else if (order == "lazy" || order.empty()) {
    settings.order = StreamOrder::lazy;
  } else {
    char* end = nullptr;
    settings.seed = static_cast<uint32_t>(std::strtoul(order.c_str(), &end, 10));
    if (*end != '\0' || settings.seed == 0) {
      refuse("BACKPLANE_SIM_ORDER", order.c_str(), "eager, lazy or a seed above zero");
    }
    settings.order = StreamOrder::random;
  }
}

void read_loss(Settings& settings) {
  const char* text = std::getenv("BACKPLANE_SIM_LOSE_DEVICE");
  if (text == nullptr || *text == '\0') return;
  unsigned device = 0;
  unsigned long long call = 0;
  char rest = 0;
  if (std::sscanf(text, "%u:%llu%c", &device, &call, &rest) != 2 || call == 0) {
    refuse("BACKPLANE_SIM_LOSE_DEVICE", text, "index:call with calls counted from 1");
  }
  settings.lose_device = static_cast<int>(device);
  settings.lose_at_call = call;
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.devices = static_cast<int>(number("BACKPLANE_SIM_DEVICES", 1, kMostDevices));
  settings.memory_bytes = number("BACKPLANE_SIM_MEMORY", settings.memory_bytes, 4ull << 30);
  settings.strict = number("BACKPLANE_SIM_STRICT", 0, 1) != 0;
  settings.statistics = number("BACKPLANE_SIM_STATISTICS", 0, 1) != 0;
  settings.fail_allocation = number("BACKPLANE_SIM_FAIL_ALLOC", 0);
  settings.capability = static_cast<uint32_t>(number("BACKPLANE_SIM_CAPABILITY", 86, 200));
  settings.driver_version =
      static_cast<int>(number("BACKPLANE_SIM_DRIVER", CUDART_VERSION, 1'000'000));
  if (const char* kernels = std::getenv("BACKPLANE_SIM_KERNELS")) settings.kernels = kernels;
  read_order(settings);
  read_loss(settings);
  return settings;
}

}  // namespace backplane::sim
