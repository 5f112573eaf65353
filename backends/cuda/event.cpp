// An event that was never recorded counts as done, which is what CUDA says too.
#include "event.hpp"

namespace backplane::cuda {
namespace {

EventHandle make_event_on(int ordinal) {
  const CurrentDevice scope(ordinal);
  return make_event(cudaEventDefault);  // with times, for seconds_until
}

cudaStream_t stream_of(plugin::Queue& queue) {
  auto& here = static_cast<CudaQueue&>(queue);
  here.refuse_while_recording("an event");
  return here.stream();
}

}  // namespace

CudaEvent::CudaEvent(int ordinal) : ordinal_(ordinal), event_(make_event_on(ordinal)) {}

void CudaEvent::record(plugin::Queue& queue) {
  const CurrentDevice scope(ordinal_);
  check(cudaEventRecord(event_.get(), stream_of(queue)), "recording an event");
}

void CudaEvent::wait(plugin::Queue& queue) {
  const CurrentDevice scope(ordinal_);
  check(cudaStreamWaitEvent(stream_of(queue), event_.get(), 0), "letting a queue wait");
}

bool CudaEvent::done() {
  const CurrentDevice scope(ordinal_);
  const cudaError_t code = cudaEventQuery(event_.get());
  if (code == cudaErrorNotReady) {
    cudaGetLastError();  // an answer, not an error
    return false;
  }
  check(code, "asking for an event");
  return true;
}

void CudaEvent::synchronize() {
  const CurrentDevice scope(ordinal_);
  check(cudaEventSynchronize(event_.get()), "waiting for an event");
}

double CudaEvent::seconds_until(plugin::Event& last) {
  const CurrentDevice scope(ordinal_);
  float milliseconds = 0;
  check(
      cudaEventElapsedTime(&milliseconds, event_.get(), static_cast<CudaEvent&>(last).event_.get()),
      "measuring between two events; record and synchronise both first");
  return milliseconds * 1e-3;
}

}  // namespace backplane::cuda
