// Recorded sequences: runs of plans captured from a stream and replayed as one CUDA graph.
#pragma once

#include <span>
#include <vector>

#include "handles.hpp"

namespace backplane::cuda {

class CudaQueue;

// One kernel launch, whose arguments lie where the addresses say.
struct KernelLaunch {
  const void* kernel;
  dim3 grid, block;
  void** arguments;
};

// A run whose scalars are new at each replay: what it was called with, and the graph's nodes that
// its launches became.
class NotedRun {
 public:
  NotedRun(plugin::Plan& plan, const bp_run& run);
  void run(CudaQueue& queue, const bp_scalars& scalars) const;

  std::vector<cudaGraphNode_t> launches;

 private:
  std::shared_ptr<plugin::Plan> plan_;
  bp_run run_;  // its pointers lead to the two lists
  std::vector<bp_arg> inputs_, outputs_;
};

// Captures a stream while it lives.
class Recorder {
 public:
  explicit Recorder(cudaStream_t stream);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Captures what the run enqueues. If it throws, the whole sequence is spoilt.
  void run(CudaQueue& queue, plugin::Plan& plan, const bp_run& run);
  void note_launch();  // the stream's last node is one
  [[nodiscard]] GraphHandle finish();
  [[nodiscard]] std::vector<NotedRun> take_runs() { return std::move(runs_); }

 private:
  cudaStream_t stream_;
  bool capturing_ = true;
  bool noting_ = false;  // the run that is being captured has scalars
  bool spoilt_ = false;
  std::vector<NotedRun> runs_;
};

// Takes launches and gives their arguments to the nodes of a graph, in order.
class Rewriter {
 public:
  Rewriter(cudaGraphExec_t graph, std::span<const cudaGraphNode_t> nodes)
      : graph_(graph), nodes_(nodes) {}
  void launch(const KernelLaunch& launch);
  void finish() const;  // all nodes have been given theirs

 private:
  cudaGraphExec_t graph_;
  std::span<const cudaGraphNode_t> nodes_;
  std::size_t next_ = 0;
};

class CudaSequence final : public plugin::Sequence {
 public:
  // The graph's nodes name those of its executable form, so both are kept.
  CudaSequence(const CudaQueue& queue, GraphHandle graph, std::vector<NotedRun> runs);
  ~CudaSequence() override;
  void run(plugin::Queue& queue, std::span<const bp_scalars> scalars) override;

 private:
  const CudaQueue& queue_;  // an identity: its error record is in the arguments
  GraphHandle graph_;
  GraphExecHandle executable_;
  std::vector<NotedRun> runs_;
};

}  // namespace backplane::cuda
