// Kernels and device variables: from the registrations of nvcc's host code to the translated code.
#pragma once

#include <deque>

#include "runtime/api.h"

// What cudaKernel_t and cudaFunction_t point to: a __global__ function as the host registered it.
struct CUkern_st {
  std::string name;
  const struct Image* image = nullptr;
  const backplane::sim::KernelEntry* entry = nullptr;  // null until first used
  const backplane::sim::KernelModule* module = nullptr;
  int most_dynamic_shared = 48 << 10;
};

namespace backplane::sim {

inline constexpr uint32_t kSharedPerBlock = 48 << 10;
inline constexpr uint32_t kSharedPerBlockOptIn = 99 << 10;

// Everything that a launch needs, copied at the call.
struct KernelLaunch {
  CUkern_st* kernel = nullptr;
  LaunchShape shape;
  std::vector<unsigned char> parameters;
  int device = 0;
};

// Finds the kernel of a host function, with its translated code; prints why there is none.
cudaError_t find_kernel(Machine& machine, const void* host_function, CUkern_st** out);
cudaError_t prepare(Machine& machine, CUkern_st& kernel);

// Checks a launch and makes it; the parameters are read through `arguments` now.
cudaError_t make_launch(Machine& machine, CUkern_st& kernel, const LaunchShape& shape,
                        void** arguments, int device, std::shared_ptr<KernelLaunch>* out);
Operation launch_operation(Machine& machine, std::shared_ptr<KernelLaunch> launch);
cudaError_t launch(Machine& machine, CUkern_st& kernel, const LaunchShape& shape, void** arguments,
                   CUstream_st& stream);

// Addresses of a module's device variables on a device, made at first use.
const std::vector<uint64_t>& module_variables(Machine& machine, int device,
                                              const KernelModule& module);

}  // namespace backplane::sim
