// cudaGetDeviceCount and its kin: devices, properties, peers, versions.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/kernels.h"

namespace backplane::sim {
namespace {

constexpr int kProcessors = 4;
constexpr int kThreadsPerProcessor = 1536;
constexpr int kBusOfFirstDevice = 0x10;

bool is_device(const Machine& machine, int device) {
  return device >= 0 && static_cast<size_t>(device) < machine.devices.size();
}

// Questions that need no context: a fit driver and an existing device suffice.
template <class Body>
cudaError_t ask(int device, Body body) {
  return call([&](Machine& machine) {
    if (machine.settings.driver_version < CUDART_VERSION / 1000 * 1000) {
      return cudaErrorInsufficientDriver;
    }
    if (machine.devices.empty()) return cudaErrorNoDevice;
    if (!is_device(machine, device)) return cudaErrorInvalidDevice;
    return body(machine);
  });
}

struct AttributeRow {
  cudaDeviceAttr which;
  int value;
};

constexpr AttributeRow kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7FFFFFFF},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, kSharedPerBlock},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, kSharedPerBlockOptIn},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 100 << 10},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrClockRate, 1'500'000},
    {cudaDevAttrMemoryClockRate, 7'000'000},
    {cudaDevAttrGlobalMemoryBusWidth, 256},
    {cudaDevAttrL2CacheSize, 4 << 20},
    {cudaDevAttrMultiProcessorCount, kProcessors},
    {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsPerProcessor},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 16},
    {cudaDevAttrAsyncEngineCount, 2},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrTextureAlignment, 512},
    // Not simulated, and a card may lack them too.
    {cudaDevAttrManagedMemory, 0},
    {cudaDevAttrConcurrentManagedAccess, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrCooperativeLaunch, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrEccEnabled, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrComputeMode, 0},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrPciDeviceId, 0},
};

// False for what is not in the table.
bool attribute(const Machine& machine, int device, cudaDeviceAttr which, int& value) {
  const int capability = static_cast<int>(machine.settings.capability);
  if (which == cudaDevAttrComputeCapabilityMajor) value = capability / 10;
  if (which == cudaDevAttrComputeCapabilityMinor) value = capability % 10;
  if (which == cudaDevAttrPciBusId) value = kBusOfFirstDevice + device;
  if (which == cudaDevAttrComputeCapabilityMajor || which == cudaDevAttrComputeCapabilityMinor ||
      which == cudaDevAttrPciBusId) {
    return true;
  }
  for (const AttributeRow& row : kAttributes) {
    if (row.which != which) continue;
    value = row.value;
    return true;
  }
  return false;
}

void fill_properties(const Machine& machine, int device, cudaDeviceProp& out) {
  std::memset(&out, 0, sizeof out);
  std::snprintf(out.name, sizeof out.name, "Backplane simulated card %d", device);
  const auto of = [&](cudaDeviceAttr which) {
    int value = 0;
    attribute(machine, device, which, value);
    return value;
  };
  std::memset(out.uuid.bytes, 0xB0 + device, sizeof out.uuid.bytes);
  out.totalGlobalMem = machine.settings.memory_bytes;
  out.sharedMemPerBlock = kSharedPerBlock;
  out.sharedMemPerBlockOptin = kSharedPerBlockOptIn;
  out.sharedMemPerMultiprocessor =
      static_cast<size_t>(of(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  out.reservedSharedMemPerBlock = static_cast<size_t>(of(cudaDevAttrReservedSharedMemoryPerBlock));
  out.regsPerBlock = out.regsPerMultiprocessor = 65536;
  out.warpSize = 32;
  out.maxThreadsPerBlock = 1024;
  out.maxThreadsDim[0] = out.maxThreadsDim[1] = 1024;
  out.maxThreadsDim[2] = 64;
  out.maxGridSize[0] = 0x7FFFFFFF;
  out.maxGridSize[1] = out.maxGridSize[2] = 65535;
  out.totalConstMem = 65536;
  out.major = of(cudaDevAttrComputeCapabilityMajor);
  out.minor = of(cudaDevAttrComputeCapabilityMinor);
  out.textureAlignment = 512;
  out.multiProcessorCount = kProcessors;
  out.maxThreadsPerMultiProcessor = kThreadsPerProcessor;
  out.maxBlocksPerMultiProcessor = of(cudaDevAttrMaxBlocksPerMultiprocessor);
  out.canMapHostMemory = out.unifiedAddressing = out.concurrentKernels = 1;
  out.streamPrioritiesSupported = out.memoryPoolsSupported = out.hostRegisterSupported = 1;
  out.canUseHostPointerForRegisteredMem = 1;
  out.asyncEngineCount = 2;
  out.memoryBusWidth = of(cudaDevAttrGlobalMemoryBusWidth);
  out.l2CacheSize = of(cudaDevAttrL2CacheSize);
  out.pciBusID = kBusOfFirstDevice + device;
}

}  // namespace
}  // namespace backplane::sim

using namespace backplane::sim;

extern "C" {

// Without a fit driver the real library answers 35, with one but no card 100.
cudaError_t cudaGetDeviceCount(int* count) {
  return call([&](Machine& machine) {
    *count = 0;
    if (machine.settings.driver_version < CUDART_VERSION / 1000 * 1000) {
      return cudaErrorInsufficientDriver;
    }
    *count = static_cast<int>(machine.devices.size());
    return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return ask(device, [&](Machine& machine) {
    current_device() = device;
    return machine.devices[static_cast<size_t>(device)].sticky;
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return ask(device,
             [&](Machine& machine) { return machine.devices[static_cast<size_t>(device)].sticky; });
}

cudaError_t cudaGetDevice(int* device) {
  return ask(current_device(), [&](Machine&) {
    *device = current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned) {
  return call([](Machine&) { return cudaSuccess; });
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return device_call([&](Machine&) {
    *flags = cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return ask(device, [&](Machine& machine) {
    fill_properties(machine, device, *properties);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return ask(device, [&](Machine& machine) {
    if (attribute(machine, device, which, *value)) return cudaSuccess;
    say("attribute " + std::to_string(which) + " of a device is not simulated");
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return ask(device, [&](Machine&) {
    if (length < 13) return cudaErrorInvalidValue;
    std::snprintf(text, static_cast<size_t>(length), "0000:%02X:00.0", kBusOfFirstDevice + device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return ask(0, [&](Machine& machine) {
    unsigned domain = 0;
    unsigned bus = 0;
    if (std::sscanf(text, "%x:%x:", &domain, &bus) != 2) return cudaErrorInvalidValue;
    *device = static_cast<int>(bus) - kBusOfFirstDevice;
    return is_device(machine, *device) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return device_call([&](Machine&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return ask(device, [&](Machine& machine) {
    if (!is_device(machine, peer)) return cudaErrorInvalidDevice;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return device_call([&](Machine& machine) {
    if (!is_device(machine, peer) || peer == current_device()) return cudaErrorInvalidDevice;
    if (flags != 0) return cudaErrorInvalidValue;
    auto& peers = machine.devices[static_cast<size_t>(current_device())].peers;
    return peers.insert(peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return device_call([&](Machine& machine) {
    auto& peers = machine.devices[static_cast<size_t>(current_device())].peers;
    return peers.erase(peer) == 1 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return device_call([](Machine& machine) {
    for (const auto& stream : machine.streams) {
      if (!stream->capture || stream->device != current_device()) continue;
      stream->capture->invalidated = true;
      return cudaErrorStreamCaptureUnsupported;
    }
    return machine.synchronise_device(current_device());
  });
}

// Frees all that the device holds. A fault stays: the documentation asks for a new process then.
cudaError_t cudaDeviceReset() {
  return device_call([](Machine& machine) {
    const int index = current_device();
    machine.synchronise_device(index);
    std::vector<Allocation> owned;
    for (const auto& [begin, allocation] : machine.memory.allocations()) {
      if (!allocation.is_host() && allocation.device == index) owned.push_back(allocation);
    }
    for (const Allocation& allocation : owned) machine.release(allocation);
    Device& device = machine.devices[static_cast<size_t>(index)];
    device.variables.clear();
    device.peers.clear();
    for (const auto& stream : machine.streams) {
      if (stream->device == index && stream.get() != device.legacy) stream->alive = false;
    }
    device.per_thread.clear();
    return device.sticky;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return call([&](Machine& machine) {
    *version = machine.settings.driver_version;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
  return device_call([](Machine&) { return cudaSuccess; });
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return device_call([](Machine&) { return cudaSuccess; });
}
cudaError_t cudaProfilerStart() {
  return device_call([](Machine&) { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return device_call([](Machine&) { return cudaSuccess; });
}

}  // extern "C"
