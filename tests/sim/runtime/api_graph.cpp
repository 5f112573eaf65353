// Graphs: made by capture, instantiated, updated, launched.
#include <algorithm>
#include <cstring>

#include "runtime/kernels.h"

using namespace backplane::sim;

namespace {

template <class Body>
cudaError_t with_graph(cudaGraph_t graph, Body body) {
  return device_call([&](Machine& machine) {
    return machine.graphs.count(graph) == 0 ? cudaErrorInvalidValue : body(machine, *graph);
  });
}

template <class Body>
cudaError_t with_exec(cudaGraphExec_t exec, Body body) {
  return device_call([&](Machine& machine) {
    return machine.graph_execs.count(exec) == 0 ? cudaErrorInvalidValue : body(machine, *exec);
  });
}

bool same_shape(const CUgraphExec_st& exec, const CUgraph_st& graph) {
  if (exec.nodes.size() != graph.nodes.size()) return false;
  for (size_t i = 0; i < exec.nodes.size(); ++i) {
    if (exec.nodes[i].type != graph.nodes[i]->type) return false;
    if (exec.nodes[i].after != graph.nodes[i]->after) return false;
  }
  return true;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* out, unsigned flags) {
  return device_call([&](Machine& machine) {
    if (flags != 0) return cudaErrorInvalidValue;
    *out = new CUgraph_st;
    machine.graphs.insert(*out);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
  return with_graph(graph, [&](Machine& machine, CUgraph_st& known) {
    if (machine.allocation_fails()) return cudaErrorMemoryAllocation;
    *out = instantiate(machine, known);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(out, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return with_exec(exec, [](Machine&, CUgraphExec_st&) { return cudaSuccess; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  return with_exec(exec, [&](Machine& machine, CUgraphExec_st& known) {
    CUstream_st* stream = machine.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return launch_graph(machine, known, *stream);
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return with_graph(graph, [&](Machine& machine, CUgraph_st&) {
    machine.graphs.erase(graph);
    delete graph;
    return cudaSuccess;
  });
}

// Launches in flight keep their own copy of the graph.
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return with_exec(exec, [&](Machine& machine, CUgraphExec_st&) {
    machine.graph_execs.erase(exec);
    delete exec;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return with_graph(graph, [&](Machine&, CUgraph_st& known) {
    if (nodes == nullptr) {
      *count = known.nodes.size();
      return cudaSuccess;
    }
    for (size_t i = 0; i < *count; ++i) {
      nodes[i] = i < known.nodes.size() ? known.nodes[i].get() : nullptr;
    }
    *count = std::min(*count, known.nodes.size());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return device_call([&](Machine&) {
    if (node == nullptr) return cudaErrorInvalidValue;
    *type = node->type;
    return cudaSuccess;
  });
}

// New arguments or a new shape for a kernel node; the function may change as well.
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return with_exec(exec, [&](Machine& machine, CUgraphExec_st& known) {
    if (node == nullptr || node->index >= known.nodes.size()) return cudaErrorInvalidValue;
    CUgraphNode_st& target = known.nodes[node->index];
    if (target.type != cudaGraphNodeTypeKernel || parameters->kernelParams == nullptr) {
      return cudaErrorInvalidValue;
    }
    CUkern_st* kernel = nullptr;
    auto error = find_kernel(machine, parameters->func, &kernel);
    if (error != cudaSuccess) return error;
    const dim3 grid = parameters->gridDim;
    const dim3 block = parameters->blockDim;
    const LaunchShape shape{
        {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, parameters->sharedMemBytes};
    error = make_launch(machine, *kernel, shape, parameters->kernelParams, target.launch->device,
                        &target.launch);
    if (error == cudaSuccess) target.operation = launch_operation(machine, target.launch);
    return error;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return with_exec(exec, [&](Machine& machine, CUgraphExec_st& known) {
    if (machine.graphs.count(graph) == 0) return cudaErrorInvalidValue;
    std::memset(result, 0, sizeof *result);
    result->result = cudaGraphExecUpdateSuccess;
    if (!same_shape(known, *graph)) {
      result->result = cudaGraphExecUpdateErrorTopologyChanged;
      return cudaErrorGraphExecUpdateFailure;
    }
    for (size_t i = 0; i < known.nodes.size(); ++i) known.nodes[i] = *graph->nodes[i];
    return cudaSuccess;
  });
}

}  // extern "C"
