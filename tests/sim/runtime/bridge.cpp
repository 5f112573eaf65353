// The road by which the simulated cuBLAS puts work on a stream.
#include "runtime/bridge.h"

#include "runtime/api.h"

using namespace backplane::sim;

namespace {

struct LibraryWork {
  std::string what;
  std::vector<backplane_sim_operand> operands;
  void (*run)(void* const*, const void*);
  std::vector<unsigned char> data;
  int device;

  cudaError_t execute(Machine& machine, Footprint& footprint) const {
    std::vector<void*> storage;
    for (const backplane_sim_operand& operand : operands) {
      const auto address = reinterpret_cast<uint64_t>(operand.address);
      std::string problem = machine.memory.problem(address, operand.bytes);
      const int owner = machine.memory.device_of(address);
      const auto& peers = machine.devices[static_cast<size_t>(device)].peers;
      if (owner >= 0 && owner != device && peers.count(owner) == 0) {
        problem = "memory of device " + std::to_string(owner) + ", which is not this one's";
      }
      if (!problem.empty()) {
        machine.fault(device, cudaErrorIllegalAddress, what + ": " + problem);
        return cudaErrorIllegalAddress;
      }
      if (operand.writes != 0)
        footprint.write(address, operand.bytes);
      else
        footprint.read(address, operand.bytes);
      storage.push_back(machine.memory.storage(address));
    }
    run(storage.data(), data.data());
    return cudaSuccess;
  }
};

}  // namespace

cudaError_t backplane_sim_enqueue(cudaStream_t handle, const char* what,
                                  const backplane_sim_operand* operands, size_t count,
                                  void (*run)(void* const*, const void*), const void* data,
                                  size_t data_bytes) {
  return device_call([&](Machine& machine) {
    CUstream_st* stream = machine.stream(handle);
    if (stream == nullptr || stream->device != current_device()) {
      return cudaErrorInvalidResourceHandle;
    }
    const auto* bytes = static_cast<const unsigned char*>(data);
    LibraryWork work{
        what, {operands, operands + count}, run, {bytes, bytes + data_bytes}, stream->device};
    Operation operation;
    operation.what = what;
    operation.transfer = Transfer::launch;
    operation.run = [&machine, work = std::move(work)](Footprint& footprint) {
      return work.execute(machine, footprint);
    };
    CUgraphNode_st node;
    node.type = cudaGraphNodeTypeHost;  // nobody may set parameters of what a library captured
    return machine.enqueue(*stream, std::move(operation), &node);
  });
}

cudaError_t backplane_sim_handle_made() {
  return device_call([](Machine& machine) {
    if (machine.allocation_fails()) return cudaErrorMemoryAllocation;
    ++machine.library_handles;
    return cudaSuccess;
  });
}

void backplane_sim_handle_destroyed() {
  Machine& machine = Machine::get();
  const std::lock_guard<std::recursive_mutex> guard(machine.lock);
  --machine.library_handles;
}
