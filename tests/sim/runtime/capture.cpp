// Stream capture: which calls it forbids, and how operations become nodes of a graph.
#include <algorithm>

#include "runtime/api.h"

namespace backplane::sim {

cudaStreamCaptureMode& thread_capture_mode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

// A call that cannot be recorded spoils the captures that it might disturb.
cudaError_t Machine::forbid_while_capturing(cudaError_t code) {
  const cudaStreamCaptureMode own = thread_capture_mode();
  if (own == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  cudaError_t result = cudaSuccess;
  for (const auto& capture : captures) {
    const bool mine = capture->thread == std::this_thread::get_id();
    const bool concerned = capture->mode == cudaStreamCaptureModeGlobal
                               ? mine || own == cudaStreamCaptureModeGlobal
                               : capture->mode == cudaStreamCaptureModeThreadLocal && mine;
    if (!concerned) continue;
    capture->invalidated = true;
    result = code;
  }
  return result;
}

// The legacy stream would have to wait for a blocking stream that only records.
cudaError_t Machine::legacy_conflict(const CUstream_st& stream, bool spoils) {
  if (devices[static_cast<size_t>(stream.device)].legacy != &stream) return cudaSuccess;
  cudaError_t result = cudaSuccess;
  for (const auto& other : streams) {
    if (!other->capture || !other->blocking || other->device != stream.device) continue;
    if (other->capture->mode == cudaStreamCaptureModeRelaxed) continue;
    if (spoils) other->capture->invalidated = true;
    result = cudaErrorStreamCaptureImplicit;
  }
  return result;
}

cudaError_t Machine::capture(CUstream_st& stream, Operation operation, CUgraphNode_st* node) {
  Capture& capture = *stream.capture;
  if (capture.invalidated) return cudaErrorStreamCaptureInvalidated;
  auto made = node == nullptr ? std::make_unique<CUgraphNode_st>()
                              : std::make_unique<CUgraphNode_st>(std::move(*node));
  made->index = capture.graph->nodes.size();
  made->after = stream.frontier;
  made->operation = std::move(operation);
  stream.frontier = {made->index};
  capture.graph->nodes.push_back(std::move(made));
  return cudaSuccess;
}

namespace {

void join_frontier(std::vector<std::size_t>& into, const std::vector<std::size_t>& other) {
  for (std::size_t node : other) {
    if (std::find(into.begin(), into.end(), node) == into.end()) into.push_back(node);
  }
}

// Which nodes must have run before each node, itself included.
std::vector<std::vector<bool>> ancestors_of(const std::vector<CUgraphNode_st>& nodes) {
  std::vector<std::vector<bool>> ancestors(nodes.size(), std::vector<bool>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ancestors[i][i] = true;
    for (std::size_t before : nodes[i].after) {
      for (std::size_t j = 0; j <= before; ++j) {
        if (ancestors[before][j]) ancestors[i][j] = true;
      }
    }
  }
  return ancestors;
}

// Whether the origin's end depends on all that the other streams of the capture have done.
bool all_joined(Machine& machine, const CUstream_st& origin) {
  std::vector<CUgraphNode_st> nodes(origin.capture->graph->nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i].after = origin.capture->graph->nodes[i]->after;
  const auto ancestors = ancestors_of(nodes);
  const auto reached = [&](std::size_t node) {
    return std::any_of(origin.frontier.begin(), origin.frontier.end(),
                       [&](std::size_t end) { return ancestors[end][node]; });
  };
  for (const auto& stream : machine.streams) {
    if (stream->capture != origin.capture || stream.get() == &origin) continue;
    if (!std::all_of(stream->frontier.begin(), stream->frontier.end(), reached)) return false;
  }
  return true;
}

}  // namespace

cudaError_t begin_capture(Machine& machine, CUstream_st& stream, cudaStreamCaptureMode mode) {
  if (&stream == machine.devices[static_cast<size_t>(stream.device)].legacy) {
    return cudaErrorStreamCaptureUnsupported;
  }
  if (stream.capture) return cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->graph = new CUgraph_st;
  capture->origin = &stream;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  stream.capture = capture;
  stream.frontier.clear();
  machine.captures.push_back(std::move(capture));
  return cudaSuccess;
}

cudaError_t end_capture(Machine& machine, CUstream_st& stream, cudaGraph_t* out) {
  *out = nullptr;
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return cudaErrorIllegalState;
  if (capture->origin != &stream) return cudaErrorStreamCaptureUnmatched;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id()) {
    return cudaErrorStreamCaptureWrongThread;
  }
  cudaError_t result = cudaSuccess;
  if (capture->invalidated) {
    result = cudaErrorStreamCaptureInvalidated;
  } else if (!all_joined(machine, stream)) {
    result = cudaErrorStreamCaptureUnjoined;
  }
  capture->active = false;
  std::erase(machine.captures, capture);
  for (const auto& each : machine.streams) {
    if (each->capture == capture) each->capture = nullptr;
  }
  if (result == cudaSuccess) {
    *out = capture->graph;
    machine.graphs.insert(capture->graph);
  } else {
    delete capture->graph;
  }
  return result;
}

void record_captured(CUevent_st& event, const CUstream_st& stream) {
  event.capture = stream.capture;
  event.frontier = stream.frontier;
}

cudaError_t wait_captured(CUstream_st& stream, const CUevent_st& event) {
  if (!event.capture || !event.capture->active) {
    // An event from outside would tie the graph to work that has been and gone.
    stream.capture->invalidated = true;
    return cudaErrorStreamCaptureIsolation;
  }
  if (!stream.capture) {
    stream.capture = event.capture;
    stream.frontier = event.frontier;
    return cudaSuccess;
  }
  if (stream.capture != event.capture) {
    stream.capture->invalidated = event.capture->invalidated = true;
    return cudaErrorStreamCaptureMerge;
  }
  join_frontier(stream.frontier, event.frontier);
  return cudaSuccess;
}

namespace {

void find_unordered(CUgraphExec_st& exec) {
  const auto ancestors = ancestors_of(exec.nodes);
  exec.unordered.assign(exec.nodes.size(), {});
  for (std::size_t i = 0; i < exec.nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!ancestors[i][j]) exec.unordered[i].push_back(j);
    }
  }
}

// An order of the nodes in which each follows what it depends on: as captured, or with every
// branch as late as it may be, or at random.
std::vector<std::size_t> execution_order(const std::vector<CUgraphNode_st>& nodes,
                                         const Settings& settings, uint32_t round) {
  std::vector<std::size_t> order;
  std::vector<bool> done(nodes.size());
  uint32_t random = settings.seed + round;
  while (order.size() < nodes.size()) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const bool free = std::all_of(nodes[i].after.begin(), nodes[i].after.end(),
                                    [&](std::size_t before) { return done[before]; });
      if (!done[i] && free) ready.push_back(i);
    }
    random = random * 1664525u + 1013904223u;
    const std::size_t next = settings.order == StreamOrder::eager ? ready.front()
                             : settings.order == StreamOrder::lazy
                                 ? ready.back()
                                 : ready[(random >> 8) % ready.size()];
    done[next] = true;
    order.push_back(next);
  }
  return order;
}

cudaError_t run_nodes(Machine& machine, const CUgraphExec_st& exec,
                      const std::vector<std::size_t>& order, Footprint& footprint) {
  std::vector<Footprint> parts(exec.nodes.size());
  for (std::size_t i : order) {
    if (!exec.nodes[i].operation.run) continue;
    const cudaError_t error = exec.nodes[i].operation.run(parts[i]);
    if (error != cudaSuccess) return error;
    parts[i].sort();
    footprint.append(parts[i]);
  }
  for (std::size_t i = 0; i < exec.nodes.size(); ++i) {
    for (std::size_t j : exec.unordered[i]) {
      const Range range = clash(parts[i], parts[j]);
      if (range.begin == range.end) continue;
      machine.report_race("RACE in a graph between '" + exec.nodes[i].operation.what + "' and '" +
                          exec.nodes[j].operation.what + "': neither waits for the other");
      return cudaSuccess;
    }
  }
  return cudaSuccess;
}

}  // namespace

CUgraphExec_st* instantiate(Machine& machine, const CUgraph_st& graph) {
  auto* exec = new CUgraphExec_st;
  for (const auto& node : graph.nodes) exec->nodes.push_back(*node);
  find_unordered(*exec);
  machine.graph_execs.insert(exec);
  return exec;
}

cudaError_t launch_graph(Machine& machine, const CUgraphExec_st& exec, CUstream_st& stream) {
  if (stream.capture) return cudaErrorStreamCaptureUnsupported;
  // The launch keeps what the graph is now: later updates do not reach work in flight.
  const auto kept = std::make_shared<CUgraphExec_st>(exec);
  for (const CUgraphNode_st& node : kept->nodes) {
    machine.count(node.operation.transfer, node.operation.bytes);
  }
  const auto round = static_cast<uint32_t>(machine.statistics.graph_launches);
  Operation operation;
  operation.what = "graph of " + std::to_string(exec.nodes.size()) + " nodes";
  operation.transfer = Transfer::graph;
  operation.run = [&machine, kept, round](Footprint& footprint) {
    return run_nodes(machine, *kept, execution_order(kept->nodes, machine.settings, round),
                     footprint);
  };
  return machine.enqueue(stream, std::move(operation));
}

}  // namespace backplane::sim
