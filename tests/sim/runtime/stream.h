// Streams, events and graphs as the simulated card keeps them.
#pragma once

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/footprint.h"

namespace backplane::sim {

enum class Transfer {
  none,
  host_to_device,
  device_to_host,
  device_to_device,
  memset,
  launch,
  graph
};

struct Dependency {
  CUstream_st* stream;
  uint64_t count;  // that many operations of the stream must be done
};

// One piece of work. `run` may be called again when it belongs to a graph; it fills the footprint
// in and returns a sticky error if the work faults.
struct Operation {
  std::string what;
  std::function<cudaError_t(Footprint&)> run;
  Transfer transfer = Transfer::none;
  uint64_t bytes = 0;
  std::vector<Dependency> waits;
  VectorClock clock;
};

struct KernelLaunch;  // runtime/kernels.h

// A capture in progress. Streams and events that belong to it share it.
struct Capture {
  CUgraph_st* graph = nullptr;
  CUstream_st* origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  bool invalidated = false;
  bool active = true;
};

// What cudaEventRecord leaves behind; a later record gives the event a new one.
struct EventRecord {
  CUstream_st* stream = nullptr;
  uint64_t count = 0;
  VectorClock clock;
  double milliseconds = -1;  // on the device's clock, once the stream has come so far
};

}  // namespace backplane::sim

struct CUstream_st {
  int id = 0;
  int device = 0;
  bool blocking = true;  // waits for and is waited for by the legacy default stream
  bool alive = true;
  unsigned flags = 0;
  int priority = 0;
  std::deque<backplane::sim::Operation> queue;
  uint64_t enqueued = 0;
  uint64_t done = 0;
  backplane::sim::VectorClock clock;
  std::shared_ptr<backplane::sim::Capture> capture;
  std::vector<std::size_t> frontier;  // graph nodes that the next captured one depends on
};

struct CUevent_st {
  int device = 0;
  unsigned flags = 0;
  std::shared_ptr<backplane::sim::EventRecord> record;  // null before the first
  std::shared_ptr<backplane::sim::Capture> capture;
  std::vector<std::size_t> frontier;
};

struct CUgraphNode_st {
  std::size_t index = 0;
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  backplane::sim::Operation operation;
  std::vector<std::size_t> after;                        // indices of the nodes it depends on
  std::shared_ptr<backplane::sim::KernelLaunch> launch;  // of kernel nodes
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
  std::vector<CUgraphNode_st> nodes;
  std::vector<std::vector<std::size_t>> unordered;  // earlier nodes with which a node may race
};
