// Launches: the checks at the call, and the run of a kernel with its view of memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "engine/readable_name.h"
#include "runtime/kernels.h"

namespace backplane::sim {
namespace {

// Device memory as the kernel of one launch may use it.
class LaunchEnvironment : public Environment {
 public:
  LaunchEnvironment(Machine& machine, int device) : machine_(machine), device_(device) {
    memory = machine.memory.view(device);
    first_page_ = machine.memory.page_of(memory.base);
  }

  void touch_page(uint64_t page) override { mark(first_page_ + page); }

  // Comes here when the address is not live memory of the launching device.
  void* resolve(uint64_t address, uint32_t bytes, Access access, std::string& why) override {
    AddressSpace& space = machine_.memory;
    const int owner = space.device_of(address);
    if (owner >= 0 && owner != device_ &&
        machine_.devices[static_cast<size_t>(device_)].peers.count(owner) == 0) {
      why = "memory of device " + std::to_string(owner) + ", which device " +
            std::to_string(device_) + " may not use";
      return nullptr;
    }
    why = space.problem(address, bytes);
    if (!why.empty()) return nullptr;
    if (owner < 0) {
      auto& ranges = access == Access::read ? host_.reads : host_.writes;
      if (!ranges.empty() && ranges.back().end == address)
        ranges.back().end += bytes;
      else
        ranges.push_back({address, address + bytes});
    } else {
      uint8_t* shadow = space.shadow_of(address);
      for (uint32_t i = 0; i < (bytes + 3) / 4; ++i) {
        shadow[i] |= access == Access::read ? kShadowRead : kShadowRead | kShadowWritten;
      }
      mark(space.page_of(address));
    }
    return space.storage(address);
  }

  void collect(Footprint& footprint) {
    for (uint64_t page : pages_) machine_.memory.collect_page(page, footprint);
    footprint.append(host_);
  }

 private:
  void mark(uint64_t page) {
    uint8_t* flag = machine_.memory.touched_flag(page);
    if (*flag == 0) pages_.push_back(page);
    *flag = 1;
  }

  Machine& machine_;
  int device_;
  uint64_t first_page_;
  std::vector<uint64_t> pages_;
  Footprint host_;
};

cudaError_t code_of(Fault fault) {
  switch (fault) {
    case Fault::none:
      return cudaSuccess;
    case Fault::illegal_address:
      return cudaErrorIllegalAddress;
    case Fault::misaligned_address:
      return cudaErrorMisalignedAddress;
    case Fault::assertion:
      return cudaErrorAssert;
    case Fault::shared_out_of_range:
    case Fault::divergent_barrier:
    case Fault::race:
    case Fault::trap:
    case Fault::unsupported:
      return cudaErrorLaunchFailure;
  }
  return cudaErrorLaunchFailure;
}

cudaError_t run(Machine& machine, const KernelLaunch& launch, Footprint& footprint) {
  LaunchEnvironment environment(machine, launch.device);
  environment.variables = module_variables(machine, launch.device, *launch.kernel->module).data();
  const Outcome outcome = machine.runner.run(*launch.kernel->entry, launch.shape,
                                             launch.parameters.data(), environment);
  environment.collect(footprint);
  const cudaError_t code = code_of(outcome.fault);
  if (code != cudaSuccess) machine.fault(launch.device, code, outcome.message);
  return code;
}

cudaError_t check_shape(const CUkern_st& kernel, const LaunchShape& shape) {
  const auto& [gx, gy, gz] = shape.grid;
  const auto& [bx, by, bz] = shape.block;
  const uint64_t threads = uint64_t{bx} * by * bz;
  if (gx == 0 || gy == 0 || gz == 0 || gx > 0x7FFFFFFF || gy > 65535 || gz > 65535) {
    return cudaErrorInvalidConfiguration;
  }
  if (threads == 0 || bx > 1024 || by > 1024 || bz > 64 || threads > 1024) {
    return cudaErrorInvalidConfiguration;
  }
  const uint32_t most = kernel.entry->max_threads;
  if (most != 0 && threads > most) return cudaErrorLaunchOutOfResources;
  const uint64_t shared = uint64_t{kernel.entry->static_shared_bytes} + shape.dynamic_shared_bytes;
  const auto allowed = static_cast<uint64_t>(kernel.most_dynamic_shared);
  if (shape.dynamic_shared_bytes > allowed) return cudaErrorInvalidValue;
  if (shared > std::max<uint64_t>(kSharedPerBlock, allowed) || shared > kSharedPerBlockOptIn) {
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t make_launch(Machine& machine, CUkern_st& kernel, const LaunchShape& shape,
                        void** arguments, int device, std::shared_ptr<KernelLaunch>* out) {
  if (const auto error = prepare(machine, kernel); error != cudaSuccess) return error;
  if (const auto error = check_shape(kernel, shape); error != cudaSuccess) return error;
  auto launch = std::make_shared<KernelLaunch>();
  launch->kernel = &kernel;
  launch->shape = shape;
  launch->device = device;
  launch->parameters.resize(kernel.entry->parameter_bytes);
  for (uint32_t i = 0; i < kernel.entry->parameter_count; ++i) {
    const ParameterInfo& parameter = kernel.entry->parameters[i];
    std::memcpy(launch->parameters.data() + parameter.offset, arguments[i], parameter.bytes);
  }
  *out = std::move(launch);
  return cudaSuccess;
}

Operation launch_operation(Machine& machine, std::shared_ptr<KernelLaunch> launch) {
  Operation operation;
  operation.what = readable_name(launch->kernel->name);
  operation.transfer = Transfer::launch;
  operation.run = [&machine, launch](Footprint& footprint) {
    return run(machine, *launch, footprint);
  };
  return operation;
}

cudaError_t launch(Machine& machine, CUkern_st& kernel, const LaunchShape& shape, void** arguments,
                   CUstream_st& stream) {
  // A stream carries its device with it; launching there from another one is refused.
  if (stream.device != current_device()) return cudaErrorInvalidResourceHandle;
  CUgraphNode_st node;
  node.type = cudaGraphNodeTypeKernel;
  const auto error = make_launch(machine, kernel, shape, arguments, stream.device, &node.launch);
  if (error != cudaSuccess) return error;
  return machine.enqueue(stream, launch_operation(machine, node.launch), &node);
}

}  // namespace backplane::sim
