// The simulated machine: devices, streams, memory and counters. One object, under one lock.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/block_runner.h"
#include "runtime/address_space.h"
#include "runtime/settings.h"
#include "runtime/stream.h"
#include "sim.h"

namespace backplane::sim {

struct Device {
  cudaError_t sticky = cudaSuccess;  // a fault: every later call gets it
  uint64_t used_bytes = 0;
  uint64_t peak_bytes = 0;
  uint64_t calls = 0;
  uint64_t lost_at_call = 0;  // 0: never
  CUstream_st* legacy = nullptr;
  std::set<int> peers;  // devices whose memory this one may use
  std::vector<std::pair<std::thread::id, CUstream_st*>> per_thread;
  std::vector<std::pair<const void*, std::vector<uint64_t>>> variables;  // by kernel module
};

class Machine {
 public:
  // Lives until the process ends, on the heap: statics of a plug-in may still free memory late.
  static Machine& get();

  std::recursive_mutex lock;
  const Settings settings;
  AddressSpace memory;
  std::vector<Device> devices;
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::set<CUevent_st*> events;
  std::set<CUgraph_st*> graphs;
  std::set<CUgraphExec_st*> graph_execs;
  std::vector<std::shared_ptr<Capture>> captures;
  backplane_sim_statistics statistics{};
  int64_t library_handles = 0;  // of cuBLAS
  uint64_t fail_allocation_in = 0;
  BlockRunner runner;
  bool in_host_function = false;

  // Streams.
  CUstream_st* create_stream(int device, bool blocking, unsigned flags, int priority);
  // The stream that a handle means for this thread and device; null when it is not a stream.
  CUstream_st* stream(cudaStream_t handle);
  // Puts work at the end of a stream, or into the graph that the stream captures.
  cudaError_t enqueue(CUstream_st& stream, Operation operation, CUgraphNode_st* node = nullptr);
  void run_until(CUstream_st& stream, uint64_t count);
  // Makes the host wait; what ran before is ordered before all that the host does next.
  cudaError_t synchronise(CUstream_st& stream, uint64_t count, const VectorClock& clock);
  cudaError_t synchronise(CUstream_st& stream);
  cudaError_t synchronise_device(int device);
  void advance(CUstream_st& stream);  // one operation, if there is one
  void host_saw(const VectorClock& clock);
  const VectorClock& host_clock() const { return host_; }
  double device_milliseconds();

  // Capture. Calls that cannot be captured invalidate what this thread must not disturb.
  cudaError_t forbid_while_capturing(cudaError_t code);
  cudaError_t legacy_conflict(const CUstream_st& stream, bool spoils = true);

  // Memory. Counts the attempt, and says whether it is this one that has been told to fail.
  bool allocation_fails();
  cudaError_t allocate(int device, uint64_t bytes, void** out);
  void release(const Allocation& allocation);

  void count(Transfer transfer, uint64_t bytes);
  backplane_sim_statistics current_statistics();
  void report_race(const std::string& message);
  void fault(int device, cudaError_t code, const std::string& message);

 private:
  Machine();
  void report_at_exit();
  void order_by_legacy_rule(CUstream_st& stream, Operation& operation);
  cudaError_t capture(CUstream_st& stream, Operation operation, CUgraphNode_st* node);
  void run_front(CUstream_st& stream);
  void maybe_run_another(CUstream_st& stream);
  uint32_t random(uint32_t below);
  void prune_history();

  VectorClock host_;
  History history_;
  uint32_t random_state_ = 1;
  double last_time_ = 0;
};

// The device that this host thread has chosen.
int& current_device();
// Stores a code for cudaGetLastError, and returns it.
cudaError_t record(cudaError_t code);
cudaError_t& last_error();

void say(const std::string& message);  // on stderr, with our name before it

// Wraps the body of an API function: takes the lock, keeps the error. `body` gets the Machine.
template <class Body>
cudaError_t call(Body body) {
  Machine& machine = Machine::get();
  const std::lock_guard<std::recursive_mutex> guard(machine.lock);
  if (machine.in_host_function) return record(cudaErrorNotPermitted);
  return record(body(machine));
}

// Counts the call, and fails if the driver is unfit, or the device is absent, lost or faulted.
cudaError_t check_device(Machine& machine);

template <class Body>
cudaError_t device_call(Body body) {
  return call([&](Machine& machine) {
    if (const cudaError_t error = check_device(machine); error != cudaSuccess) return error;
    return body(machine);
  });
}

}  // namespace backplane::sim
