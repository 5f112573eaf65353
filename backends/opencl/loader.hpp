// The functions of the OpenCL loader, found when the plug-in is first asked: so it loads, and can
// say what is missing, on a machine that has no OpenCL.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>

namespace backplane::opencl {

// clang-format off
#define BACKPLANE_OPENCL_FUNCTIONS(row)  \
  row(clBuildProgram)                    \
  row(clCreateBuffer)                    \
  row(clCreateCommandQueue)              \
  row(clCreateContext)                   \
  row(clCreateKernel)                    \
  row(clCreateProgramWithBinary)         \
  row(clCreateProgramWithSource)         \
  row(clEnqueueBarrierWithWaitList)      \
  row(clEnqueueCopyBuffer)               \
  row(clEnqueueMapBuffer)                \
  row(clEnqueueMarkerWithWaitList)       \
  row(clEnqueueNDRangeKernel)            \
  row(clEnqueueReadBuffer)               \
  row(clEnqueueUnmapMemObject)           \
  row(clEnqueueWriteBuffer)              \
  row(clFinish)                          \
  row(clFlush)                           \
  row(clGetDeviceIDs)                    \
  row(clGetDeviceInfo)                   \
  row(clGetEventInfo)                    \
  row(clGetEventProfilingInfo)           \
  row(clGetKernelWorkGroupInfo)          \
  row(clGetMemObjectInfo)                \
  row(clGetPlatformIDs)                  \
  row(clGetPlatformInfo)                 \
  row(clGetProgramBuildInfo)             \
  row(clGetProgramInfo)                  \
  row(clReleaseCommandQueue)             \
  row(clReleaseContext)                  \
  row(clReleaseEvent)                    \
  row(clReleaseKernel)                   \
  row(clReleaseMemObject)                \
  row(clReleaseProgram)                  \
  row(clRetainMemObject)                 \
  row(clSetKernelArg)                    \
  row(clSetMemObjectDestructorCallback)  \
  row(clWaitForEvents)
// clang-format on

struct Functions {
#define BACKPLANE_ROW(name) decltype(&::name) name = nullptr;
  BACKPLANE_OPENCL_FUNCTIONS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
};

// Why the loader can't be used; empty if it can.
[[nodiscard]] const std::string& loader_fault();

// Only where there is no fault. The library stays open until the process ends.
[[nodiscard]] const Functions& cl();

}  // namespace backplane::opencl
