// What the files of API functions share with the files behind them.
#pragma once

#include "runtime/machine.h"

namespace backplane::sim {

// runtime/capture.cpp
cudaStreamCaptureMode& thread_capture_mode();
cudaError_t begin_capture(Machine& machine, CUstream_st& stream, cudaStreamCaptureMode mode);
cudaError_t end_capture(Machine& machine, CUstream_st& stream, cudaGraph_t* out);
void record_captured(CUevent_st& event, const CUstream_st& stream);
cudaError_t wait_captured(CUstream_st& stream, const CUevent_st& event);
CUgraphExec_st* instantiate(Machine& machine, const CUgraph_st& graph);
cudaError_t launch_graph(Machine& machine, const CUgraphExec_st& exec, CUstream_st& stream);

// Makes the host wait for a stream, with the errors of a capture.
cudaError_t wait_for(Machine& machine, CUstream_st& stream);

// runtime/copies.cpp. A copy of `height` rows; `pitch` is the distance between rows.
struct CopyShape {
  uint64_t width = 0;
  uint64_t height = 1;
  uint64_t target_pitch = 0;
  uint64_t source_pitch = 0;
};
cudaError_t copy(Machine& machine, void* target, const void* source, const CopyShape& shape,
                 cudaMemcpyKind kind, CUstream_st& stream, bool host_waits);
cudaError_t fill(Machine& machine, void* target, int value, uint64_t pitch, uint64_t width,
                 uint64_t height, CUstream_st& stream);

// runtime/kernels.cpp. The device address of a registered variable on the current device.
cudaError_t symbol_address(Machine& machine, const void* symbol, uint64_t* address,
                           uint64_t* bytes);

}  // namespace backplane::sim
