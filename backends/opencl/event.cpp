// An event that was never recorded counts as done.
#include "event.hpp"

#include <algorithm>

namespace backplane::opencl {
namespace {

cl_command_queue handle_of(plugin::Queue& queue) {
  return static_cast<OpenclQueue&>(queue).handle();
}

}  // namespace

// Flushed, so that another queue, or the host, can't wait for a command that isn't on its way.
void OpenclEvent::record(plugin::Queue& queue) {
  cl_event made = nullptr;
  check(cl().clEnqueueMarkerWithWaitList(handle_of(queue), 0, nullptr, &made),
        "recording an event");
  event_.reset(made);
  check(cl().clFlush(handle_of(queue)), "recording an event");
}

void OpenclEvent::wait(plugin::Queue& queue) {
  if (event_ == nullptr) return;
  const cl_event event = event_.get();
  check(cl().clEnqueueBarrierWithWaitList(handle_of(queue), 1, &event, nullptr),
        "letting a queue wait");
  static_cast<OpenclQueue&>(queue).enqueued();
}

bool OpenclEvent::done() {
  if (event_ == nullptr) return true;
  cl_int status = CL_COMPLETE;
  check(cl().clGetEventInfo(event_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                            nullptr),
        "asking for an event");
  check(std::min(status, CL_SUCCESS), "the work before an event");  // below 0 it is an error
  return status == CL_COMPLETE;
}

void OpenclEvent::synchronize() {
  if (event_ == nullptr) return;
  const cl_event event = event_.get();
  check(cl().clWaitForEvents(1, &event), "waiting for an event");
}

cl_ulong OpenclEvent::nanoseconds() const {
  cl_ulong time = 0;
  const cl_int code = event_ == nullptr
                          ? CL_PROFILING_INFO_NOT_AVAILABLE
                          : cl().clGetEventProfilingInfo(event_.get(), CL_PROFILING_COMMAND_END,
                                                         sizeof time, &time, nullptr);
  check(code, "measuring between two events; record and synchronise both first");
  return time;
}

double OpenclEvent::seconds_until(plugin::Event& last) {
  const cl_ulong from = nanoseconds(), to = static_cast<OpenclEvent&>(last).nanoseconds();
  return (static_cast<double>(to) - static_cast<double>(from)) * 1e-9;
}

}  // namespace backplane::opencl
