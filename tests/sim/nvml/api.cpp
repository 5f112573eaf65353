// The simulated libnvidia-ml: what it answers is fixed, so that a test can name it. The
// declarations are NVML's, of which toolkits don't always have the header.
#include <cuda_runtime_api.h>

#include <cstdint>

extern "C" {

using nvmlDevice_t = struct nvmlDevice_st*;
struct nvmlUtilization_t {
  unsigned gpu, memory;
};

enum {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6
};

static bool started = false;

// A handle is the card's ordinal, counted from 1.
static int answer(nvmlDevice_t card, unsigned* target, unsigned value) {
  if (!started) return NVML_ERROR_UNINITIALIZED;
  if (card == nullptr || target == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *target = value + static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(card)) - 1;
  return NVML_SUCCESS;
}

int nvmlInit_v2() {
  started = true;
  return NVML_SUCCESS;
}

const char* nvmlErrorString(int code) {
  switch (code) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    default:
      return "Unknown Error";
  }
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* card) {
  if (!started) return NVML_ERROR_UNINITIALIZED;
  int ordinal = 0;
  if (cudaDeviceGetByPCIBusId(&ordinal, bus_id) != cudaSuccess) return NVML_ERROR_NOT_FOUND;
  *card = reinterpret_cast<nvmlDevice_t>(static_cast<std::uintptr_t>(ordinal) + 1);
  return NVML_SUCCESS;
}

int nvmlDeviceGetUtilizationRates(nvmlDevice_t card, nvmlUtilization_t* rates) {
  return answer(card, &rates->gpu, 37);
}
int nvmlDeviceGetTemperature(nvmlDevice_t card, int sensor, unsigned* celsius) {
  return sensor == 0 ? answer(card, celsius, 54) : NVML_ERROR_INVALID_ARGUMENT;
}
int nvmlDeviceGetPowerUsage(nvmlDevice_t card, unsigned* milliwatts) {
  return answer(card, milliwatts, 123500);
}
// The clock of the memory is one of those things that some cards don't tell.
int nvmlDeviceGetClockInfo(nvmlDevice_t card, int which, unsigned* megahertz) {
  return which == 1 ? answer(card, megahertz, 1410) : NVML_ERROR_NOT_SUPPORTED;
}

}  // extern "C"
