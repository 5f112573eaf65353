// NVML is opened by name: it comes with the driver, not with the toolkit, and a container may lack
// it.
#include "monitor.hpp"

#include <dlfcn.h>

#include <array>
#include <limits>

#include "handles.hpp"

namespace backplane::cuda {
namespace {

constexpr const char* library_name = "libnvidia-ml.so.1";

// The few lines of nvml.h that are needed here; toolkits come without it at times.
using NvmlDevice = struct nvmlDevice_st*;
struct Utilization {
  unsigned gpu, memory;
};
enum Sensor { sensor_of_gpu = 0 };
enum Clock { clock_of_processors = 1, clock_of_memory = 2 };

template <class Function>
Function* find(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) {
    throw plugin::unsupported(std::string("cuda: ") + library_name + " has no " + name);
  }
  return reinterpret_cast<Function*>(symbol);
}

// NVML stays open, as the runtime does, until the process ends.
struct Nvml {
  explicit Nvml(void* library)
      : error_text(find<const char*(int)>(library, "nvmlErrorString")),
        device(find<int(const char*, NvmlDevice*)>(library, "nvmlDeviceGetHandleByPciBusId_v2")),
        utilization(find<int(NvmlDevice, Utilization*)>(library, "nvmlDeviceGetUtilizationRates")),
        temperature(find<int(NvmlDevice, int, unsigned*)>(library, "nvmlDeviceGetTemperature")),
        power(find<int(NvmlDevice, unsigned*)>(library, "nvmlDeviceGetPowerUsage")),
        clock(find<int(NvmlDevice, int, unsigned*)>(library, "nvmlDeviceGetClockInfo")) {
    check(find<int()>(library, "nvmlInit_v2")(), "starting NVML");
  }

  void check(int code, const char* what) const {
    if (code != 0) throw nvml_failure(code, error_text(code), what);
  }

  const char* (*error_text)(int);
  int (*device)(const char*, NvmlDevice*);
  int (*utilization)(NvmlDevice, Utilization*);
  int (*temperature)(NvmlDevice, int, unsigned*);
  int (*power)(NvmlDevice, unsigned*);
  int (*clock)(NvmlDevice, int, unsigned*);
};

const Nvml& nvml() {
  static const Nvml opened = [] {
    void* library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
      throw plugin::unsupported(std::string("cuda: NVML can't be opened, ") + dlerror() +
                                "; it comes with the NVIDIA driver");
    }
    return Nvml(library);
  }();
  return opened;
}

// CUDA counts the cards that the program may see, NVML all; the bus id means the same to both.
NvmlDevice card_of(int ordinal) {
  std::array<char, 64> bus_id{};
  check(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), ordinal),
        "asking for a PCI bus id");
  NvmlDevice card = nullptr;
  nvml().check(nvml().device(bus_id.data(), &card), "looking for the card");
  return card;
}

}  // namespace

void read_monitor(int ordinal, bp_monitor& monitor) {
  const NvmlDevice card = card_of(ordinal);
  // Which of these a card answers depends on its model and on the container: each stands alone.
  const auto known = [](int code, const unsigned& answer) {
    return code == 0 ? answer : std::numeric_limits<double>::quiet_NaN();
  };
  Utilization busy{};
  unsigned celsius = 0, milliwatts = 0, clock = 0, memory_clock = 0;
  monitor.utilization = known(nvml().utilization(card, &busy), busy.gpu);
  monitor.temperature = known(nvml().temperature(card, sensor_of_gpu, &celsius), celsius);
  monitor.power = known(nvml().power(card, &milliwatts), milliwatts) * 1e-3;
  monitor.clock = known(nvml().clock(card, clock_of_processors, &clock), clock);
  monitor.memory_clock = known(nvml().clock(card, clock_of_memory, &memory_clock), memory_clock);
}

}  // namespace backplane::cuda
