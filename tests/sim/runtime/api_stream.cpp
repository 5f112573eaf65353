// Streams and events.
#include <algorithm>

#include "runtime/api.h"

using namespace backplane::sim;

namespace {

// Runs `body` with the stream that the handle means.
template <class Body>
cudaError_t with_stream(cudaStream_t handle, Body body) {
  return device_call([&](Machine& machine) {
    CUstream_st* stream = machine.stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(machine, *stream);
  });
}

template <class Body>
cudaError_t with_event(cudaEvent_t event, Body body) {
  return device_call([&](Machine& machine) {
    if (machine.events.count(event) == 0) return cudaErrorInvalidResourceHandle;
    return body(machine, *event);
  });
}

cudaError_t record_event(Machine& machine, CUevent_st& event, CUstream_st& stream) {
  if (event.device != stream.device) return cudaErrorInvalidResourceHandle;
  if (stream.capture) {
    if (stream.capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    record_captured(event, stream);
    return cudaSuccess;
  }
  event.capture = nullptr;
  auto record = std::make_shared<EventRecord>();
  Operation operation;
  operation.what = "event record";
  operation.run = [&machine, record](Footprint&) {
    record->milliseconds = machine.device_milliseconds();
    return cudaSuccess;
  };
  const cudaError_t error = machine.enqueue(stream, std::move(operation));
  record->stream = &stream;
  record->count = stream.enqueued;
  record->clock = stream.clock;
  event.record = std::move(record);
  return error;
}

cudaError_t wait_event(Machine& machine, CUstream_st& stream, CUevent_st& event) {
  if (event.capture && event.capture->active) return wait_captured(stream, event);
  if (stream.capture) return wait_captured(stream, event);
  if (!event.record) return cudaSuccess;  // never recorded: nothing to wait for
  Operation operation;
  operation.what = "event wait";
  operation.waits.push_back({event.record->stream, event.record->count});
  operation.clock = event.record->clock;
  operation.run = [](Footprint&) { return cudaSuccess; };
  return machine.enqueue(stream, std::move(operation));
}

bool is_done(const EventRecord& record) {
  return record.stream->done >= record.count;
}

// A captured event stands for a place in a graph, which has no time.
cudaError_t captured_event(CUevent_st& event) {
  if (!event.capture || !event.capture->active) return cudaSuccess;
  event.capture->invalidated = true;
  return cudaErrorCapturedEvent;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
  return device_call([&](Machine& machine) {
    if (out == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) {
      return cudaErrorInvalidValue;
    }
    const bool blocking = (flags & cudaStreamNonBlocking) == 0;
    *out = machine.create_stream(current_device(), blocking, flags, std::clamp(priority, -5, 0));
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  return cudaStreamCreateWithPriority(out, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* out) {
  return cudaStreamCreateWithPriority(out, 0, 0);
}

// Returns at once; what is queued still runs.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return with_stream(handle, [&](Machine&, CUstream_st& stream) {
    if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread) {
      return cudaErrorInvalidResourceHandle;
    }
    if (stream.capture) stream.capture->invalidated = true;
    stream.alive = false;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return with_stream(
      handle, [](Machine& machine, CUstream_st& stream) { return wait_for(machine, stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return with_stream(handle, [](Machine& machine, CUstream_st& stream) {
    if (stream.capture) {
      stream.capture->invalidated = true;
      return cudaErrorStreamCaptureUnsupported;
    }
    machine.advance(stream);  // whoever polls makes progress, even in lazy order
    if (stream.done < stream.enqueued) return cudaErrorNotReady;
    machine.host_saw(VectorClock(stream.clock));
    return machine.devices[static_cast<size_t>(stream.device)].sticky;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  return with_event(event, [&](Machine& machine, CUevent_st& known) {
    CUstream_st* stream = machine.stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : wait_event(machine, *stream, known);
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return with_stream(handle, [&](Machine&, CUstream_st& stream) {
    *flags = stream.flags;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return with_stream(handle, [&](Machine&, CUstream_st& stream) {
    *priority = stream.priority;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return with_stream(handle, [&](Machine&, CUstream_st& stream) {
    *id = static_cast<unsigned long long>(stream.id) + 1;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return with_stream(handle, [&](Machine& machine, CUstream_st& stream) {
    Operation operation;
    operation.what = "host function";
    operation.run = [&machine, function, data](Footprint&) {
      machine.in_host_function = true;  // it must not call CUDA
      function(data);
      machine.in_host_function = false;
      return cudaSuccess;
    };
    CUgraphNode_st node;
    node.type = cudaGraphNodeTypeHost;
    return machine.enqueue(stream, std::move(operation), &node);
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return with_stream(handle, [&](Machine& machine, CUstream_st& stream) {
    return begin_capture(machine, stream, mode);
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* out) {
  return with_stream(handle, [&](Machine& machine, CUstream_st& stream) {
    return end_capture(machine, stream, out);
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return with_stream(handle, [&](Machine& machine, CUstream_st& stream) {
    *status = cudaStreamCaptureStatusNone;
    if (const auto error = machine.legacy_conflict(stream, false); error != cudaSuccess)
      return error;
    if (stream.capture) {
      *status = stream.capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                            : cudaStreamCaptureStatusActive;
    }
    return cudaSuccess;
  });
}
namespace {

// What the next captured work will depend on; the list is good until the thread asks again.
cudaError_t capture_info(cudaStream_t handle, cudaStreamCaptureStatus* status,
                         unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** after,
                         size_t* count) {
  if (status == nullptr) return record(cudaErrorInvalidValue);
  const cudaError_t error = cudaStreamIsCapturing(handle, status);
  if (error != cudaSuccess || *status == cudaStreamCaptureStatusNone) return error;
  return with_stream(handle, [&](Machine&, CUstream_st& stream) {
    thread_local std::vector<cudaGraphNode_t> nodes;
    nodes.clear();
    for (size_t index : stream.frontier) {
      nodes.push_back(stream.capture->graph->nodes[index].get());
    }
    if (id != nullptr) *id = static_cast<unsigned long long>(stream.id) + 1;
    if (graph != nullptr) *graph = stream.capture->graph;
    if (after != nullptr) *after = nodes.data();
    if (count != nullptr) *count = nodes.size();
    return cudaSuccess;
  });
}

}  // namespace

// Toolkit 13 gave the function a parameter for edges, which launches don't have.
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return capture_info(handle, status, id, graph, after, count);
}
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** after, size_t* count) {
  return capture_info(handle, status, id, graph, after, count);
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call([&](Machine&) {
    std::swap(thread_capture_mode(), *mode);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
  return device_call([&](Machine& machine) {
    if (out == nullptr) return cudaErrorInvalidValue;
    *out = new CUevent_st;
    (*out)->device = current_device();
    (*out)->flags = flags;
    machine.events.insert(*out);
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* out) {
  return cudaEventCreateWithFlags(out, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return with_event(event, [&](Machine& machine, CUevent_st&) {
    machine.events.erase(event);
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  return with_event(event, [&](Machine& machine, CUevent_st& known) {
    CUstream_st* stream = machine.stream(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle
                             : record_event(machine, known, *stream);
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (flags != 0) return record(cudaErrorNotSupported);
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_event(event, [](Machine& machine, CUevent_st& known) {
    if (const auto error = captured_event(known); error != cudaSuccess) return error;
    const std::shared_ptr<EventRecord> record = known.record;
    if (!record) return cudaSuccess;
    return machine.synchronise(*record->stream, record->count, record->clock);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_event(event, [](Machine& machine, CUevent_st& known) {
    if (const auto error = captured_event(known); error != cudaSuccess) return error;
    const std::shared_ptr<EventRecord> record = known.record;
    if (!record) return cudaSuccess;
    if (!is_done(*record)) machine.advance(*record->stream);
    if (!is_done(*record)) return cudaErrorNotReady;
    machine.host_saw(record->clock);
    return machine.devices[static_cast<size_t>(known.device)].sticky;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return with_event(begin, [&](Machine& machine, CUevent_st& first) {
    if (machine.events.count(end) == 0) return cudaErrorInvalidResourceHandle;
    const CUevent_st& last = *end;
    if (((first.flags | last.flags) & cudaEventDisableTiming) != 0 || !first.record ||
        !last.record || first.device != last.device) {
      return cudaErrorInvalidResourceHandle;
    }
    if (!is_done(*first.record) || !is_done(*last.record)) return cudaErrorNotReady;
    *milliseconds = static_cast<float>(last.record->milliseconds - first.record->milliseconds);
    return cudaSuccess;
  });
}

}  // extern "C"
