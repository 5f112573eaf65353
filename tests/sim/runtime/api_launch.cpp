// Launches, attributes of kernels, and occupancy.
#include <algorithm>
#include <cstring>

#include "runtime/kernels.h"

using namespace backplane::sim;

namespace {

struct PushedConfiguration {
  dim3 grid;
  dim3 block;
  size_t shared;
  cudaStream_t stream;
};
std::vector<PushedConfiguration>& pushed() {
  thread_local std::vector<PushedConfiguration> stack;
  return stack;
}

LaunchShape shape_of(dim3 grid, dim3 block, size_t shared) {
  return {{grid.x, grid.y, grid.z},
          {block.x, block.y, block.z},
          static_cast<uint32_t>(std::min<size_t>(shared, ~0u))};
}

cudaError_t launch_on(CUkern_st* kernel, const void* function, const LaunchShape& shape,
                      void** arguments, cudaStream_t handle) {
  return device_call([&](Machine& machine) {
    CUstream_st* stream = machine.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (kernel == nullptr) {
      const auto error = find_kernel(machine, function, &kernel);
      if (error != cudaSuccess) return error;
    }
    return launch(machine, *kernel, shape, arguments, *stream);
  });
}

template <class Body>
cudaError_t with_kernel(const void* function, Body body) {
  return device_call([&](Machine& machine) {
    CUkern_st* kernel = nullptr;
    const auto error = find_kernel(machine, function, &kernel);
    return error != cudaSuccess ? error : body(machine, *kernel);
  });
}

// As an sm_86 card would answer for a kernel of few registers.
int blocks_per_processor(const CUkern_st& kernel, int threads, size_t dynamic_shared) {
  const size_t shared = kernel.entry->static_shared_bytes + dynamic_shared + 1024;
  const int by_threads = 1536 / ((threads + 31) / 32 * 32);
  const int by_shared = static_cast<int>((100 << 10) / shared);
  return std::max(0, std::min({16, by_threads, by_shared}));
}

cudaError_t occupancy(int* blocks, const void* function, int threads, size_t shared) {
  return with_kernel(function, [&](Machine&, CUkern_st& kernel) {
    if (threads <= 0) return cudaErrorInvalidValue;
    *blocks = threads > 1024 ? 0 : blocks_per_processor(kernel, threads, shared);
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

// <<<grid, block, shared, stream>>> pushes what the stub pops again before it launches.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  pushed().push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (pushed().empty()) return record(cudaErrorMissingConfiguration);
  const PushedConfiguration last = pushed().back();
  pushed().pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

// The stubs of toolkit 13 ask for a handle once and launch by it. No context is needed to ask, and
// the stub ignores an error here, so the launch itself must report it.
cudaError_t __cudaGetKernel(cudaKernel_t* out, const void* function) {
  return call([&](Machine& machine) {
    CUkern_st* kernel = nullptr;
    const cudaError_t error = find_kernel(machine, function, &kernel);
    *out = kernel;
    return kernel != nullptr ? cudaSuccess : error;
  });
}
cudaError_t cudaGetKernel(cudaKernel_t* out, const void* function) {
  return __cudaGetKernel(out, function);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
  return launch_on(kernel, nullptr, shape_of(grid, block, shared), arguments, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  return launch_on(nullptr, function, shape_of(grid, block, shared), arguments, stream);
}

// Attributes of a launch that change what it may do are refused; hints are not.
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const auto id = config->attrs[i].id;
    if (id == cudaLaunchAttributeIgnore || id == cudaLaunchAttributePriority ||
        id == cudaLaunchAttributeAccessPolicyWindow) {
      continue;
    }
    say("launch attribute " + std::to_string(id) + " is not simulated");
    return record(cudaErrorNotSupported);
  }
  return launch_on(nullptr, function,
                   shape_of(config->gridDim, config->blockDim, config->dynamicSmemBytes), arguments,
                   config->stream);
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(function, [&](Machine&, CUkern_st& kernel) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaErrorNotSupported;
    const int most = static_cast<int>(kSharedPerBlockOptIn - kernel.entry->static_shared_bytes);
    if (value < 0 || value > most) return cudaErrorInvalidValue;
    kernel.most_dynamic_shared = value;
    return cudaSuccess;
  });
}
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return with_kernel(function, [](Machine&, CUkern_st&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* function) {
  return with_kernel(function, [&](Machine&, CUkern_st& kernel) {
    std::memset(out, 0, sizeof *out);
    const uint32_t bound = kernel.entry->max_threads;
    out->sharedSizeBytes = kernel.entry->static_shared_bytes;
    out->maxThreadsPerBlock = bound != 0 ? static_cast<int>(bound) : 1024;
    out->numRegs = 32;
    out->ptxVersion = out->binaryVersion = static_cast<int>(kernel.module->capability);
    out->maxDynamicSharedSizeBytes = kernel.most_dynamic_shared;
    return cudaSuccess;
  });
}
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return with_kernel(function, [&](Machine&, CUkern_st& kernel) {
    *name = kernel.name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, size_t shared) {
  return occupancy(blocks, function, threads, shared);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, size_t shared,
                                                                   unsigned) {
  return occupancy(blocks, function, threads, shared);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                      int blocks, int) {
  return with_kernel(function, [&](Machine&, CUkern_st& kernel) {
    if (blocks <= 0) return cudaErrorInvalidValue;
    const size_t each = static_cast<size_t>((100 << 10) / blocks);
    const size_t taken = kernel.entry->static_shared_bytes + 1024;
    *bytes = each > taken ? std::min<size_t>(each - taken, kSharedPerBlockOptIn) : 0;
    return cudaSuccess;
  });
}

}  // extern "C"
