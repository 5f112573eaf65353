// A replay runs the plans that have scalars once more, into the arguments of the graph's nodes
// instead of the stream; the rest of the graph stays as it was captured.
#include "sequence.hpp"

#include <utility>

#include "queue.hpp"

namespace backplane::cuda {
namespace {

// What the next work captured from the stream will depend on: after a launch, that launch alone.
cudaGraphNode_t last_node(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
#if CUDART_VERSION >= 13000
  check(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, nullptr, &count),
        "asking for a captured launch");
#else
  check(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, &nodes, &count),
        "asking for a captured launch");
#endif
  if (status != cudaStreamCaptureStatusActive || count != 1) {
    throw plugin::Failure(BP_FAILED, "cuda: a captured launch left no node of its own");
  }
  return nodes[0];
}

}  // namespace

NotedRun::NotedRun(plugin::Plan& plan, const bp_run& run)
    : plan_(plan.shared_from_this()),
      run_(run),
      inputs_(run.inputs, run.inputs + run.input_count),
      outputs_(run.outputs, run.outputs + run.output_count) {}

void NotedRun::run(CudaQueue& queue, const bp_scalars& scalars) const {
  bp_run again = run_;
  again.inputs = inputs_.data();
  again.outputs = outputs_.data();
  again.scalars = scalars.data;
  again.scalar_bytes = static_cast<std::uint32_t>(scalars.bytes);
  plan_->run(queue, again);
}

Recorder::Recorder(cudaStream_t stream) : stream_(stream) {
  // Other threads go on allocating memory and making streams.
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
        "beginning to record a sequence");
}

Recorder::~Recorder() {
  if (!capturing_) return;
  cudaGraph_t unwanted = nullptr;
  cudaStreamEndCapture(stream_, &unwanted);
  if (unwanted != nullptr) cudaGraphDestroy(unwanted);
  cudaGetLastError();
}

void Recorder::run(CudaQueue& queue, plugin::Plan& plan, const bp_run& run) {
  noting_ = run.scalar_bytes != 0;
  if (noting_) runs_.emplace_back(plan, run);
  const bool before = std::exchange(spoilt_, true);
  plan.run(queue, run);
  spoilt_ = before;
}

void Recorder::note_launch() {
  if (noting_) runs_.back().launches.push_back(last_node(stream_));
}

GraphHandle Recorder::finish() {
  if (spoilt_) {
    throw plugin::invalid("cuda: a run failed while the sequence was recorded; record it again");
  }
  capturing_ = false;
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream_, &graph), "recording a sequence");
  return GraphHandle(graph);
}

void Rewriter::launch(const KernelLaunch& launch) {
  if (next_ == nodes_.size()) {
    throw plugin::Failure(BP_FAILED, "cuda: a replay launches more kernels than were recorded");
  }
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(launch.kernel);
  parameters.gridDim = launch.grid;
  parameters.blockDim = launch.block;
  parameters.kernelParams = launch.arguments;
  check(cudaGraphExecKernelNodeSetParams(graph_, nodes_[next_++], &parameters),
        "giving a recorded launch its scalars");
}

void Rewriter::finish() const {
  if (next_ == nodes_.size()) return;
  throw plugin::Failure(BP_FAILED, "cuda: a replay launches fewer kernels than were recorded");
}

CudaSequence::CudaSequence(const CudaQueue& queue, GraphHandle graph, std::vector<NotedRun> runs)
    : queue_(queue), graph_(std::move(graph)), runs_(std::move(runs)) {
  cudaGraphExec_t made = nullptr;
  check(cudaGraphInstantiate(&made, graph_.get(), 0), "preparing a recorded sequence");
  executable_.reset(made);
}

CudaSequence::~CudaSequence() = default;

void CudaSequence::run(plugin::Queue& queue, std::span<const bp_scalars> scalars) {
  auto& here = static_cast<CudaQueue&>(queue);
  if (&here != &queue_) {
    throw plugin::invalid("cuda: a sequence runs on the queue that recorded it; record it there");
  }
  if (scalars.size() != runs_.size()) {
    throw plugin::invalid("cuda: a sequence with " + std::to_string(runs_.size()) +
                          " runs that have scalars, replayed with those of " +
                          std::to_string(scalars.size()));
  }
  here.refuse_while_recording("a replay");
  const CurrentDevice scope(here.ordinal());
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    Rewriter rewriter(executable_.get(), runs_[i].launches);
    here.rewrite(rewriter, [&] { runs_[i].run(here, scalars[i]); });
    rewriter.finish();
  }
  check(cudaGraphLaunch(executable_.get(), here.stream()), "replaying a sequence");
}

}  // namespace backplane::cuda
