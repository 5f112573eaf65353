// Owners of OpenCL objects.
#pragma once

#include <memory>

#include "errors.hpp"

namespace backplane::opencl {

// Errors on the way out are dropped: a lost device must not keep a destructor from its work.
struct Release {
  void operator()(cl_context object) const { cl().clReleaseContext(object); }
  void operator()(cl_command_queue object) const { cl().clReleaseCommandQueue(object); }
  void operator()(cl_mem object) const { cl().clReleaseMemObject(object); }
  void operator()(cl_event object) const { cl().clReleaseEvent(object); }
  void operator()(cl_program object) const { cl().clReleaseProgram(object); }
  void operator()(cl_kernel object) const { cl().clReleaseKernel(object); }
};

using Context = std::unique_ptr<_cl_context, Release>;
using CommandQueue = std::unique_ptr<_cl_command_queue, Release>;
using Mem = std::unique_ptr<_cl_mem, Release>;
using EventHandle = std::unique_ptr<_cl_event, Release>;
using Program = std::unique_ptr<_cl_program, Release>;
using KernelHandle = std::unique_ptr<_cl_kernel, Release>;

}  // namespace backplane::opencl
