// An OpenCL layer that counts calls and makes some of them fail.
#include "layer.hpp"

#define CL_TARGET_OPENCL_VERSION 300  // the table of a loader has all versions' functions
#include <CL/cl_layer.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "layer_device.hpp"

namespace {

opencl_layer::Settings settings;
const cl_icd_dispatch* driver = nullptr;

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host,
                                 cl_int* code) {
  ++settings.allocations;
  if (settings.fail_allocation > 0 && --settings.fail_allocation == 0) {
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  const cl_mem made = driver->clCreateBuffer(context, flags, bytes, host, code);
  if (made != nullptr) ++settings.live_buffers;
  return made;
}

cl_int CL_API_CALL release_buffer(cl_mem buffer) {
  --settings.live_buffers;
  return driver->clReleaseMemObject(buffer);
}

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint axes,
                                  const size_t* offset, const size_t* global, const size_t* local,
                                  cl_uint count, const cl_event* events, cl_event* event) {
  if (settings.lost) return CL_DEVICE_NOT_AVAILABLE;
  const unsigned most = settings.most_work_items;
  if (most != 0 && local != nullptr && local[0] > most) return CL_INVALID_WORK_GROUP_SIZE;
  return driver->clEnqueueNDRangeKernel(queue, kernel, axes, offset, global, local, count, events,
                                        event);
}

cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char** texts,
                                      const size_t* lengths, cl_int* code) {
  if (!settings.broken_texts) {
    return driver->clCreateProgramWithSource(context, count, texts, lengths, code);
  }
  const std::string broken = "no_such_type mistake;\n" + std::string(texts[0], lengths[0]);
  const char* text = broken.data();
  const size_t length = broken.size();
  return driver->clCreateProgramWithSource(context, 1, &text, &length, code);
}

cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_device_id device,
                               cl_kernel_work_group_info what, size_t bytes, void* value,
                               size_t* written) {
  const cl_int code = driver->clGetKernelWorkGroupInfo(kernel, device, what, bytes, value, written);
  const size_t most = settings.most_work_items;
  if (code == CL_SUCCESS && what == CL_KERNEL_WORK_GROUP_SIZE && value != nullptr && most != 0) {
    auto* size = static_cast<size_t*>(value);
    *size = std::min(*size, most);
  }
  return code;
}

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t bytes, void* value,
                               size_t* written) {
  const auto told = opencl_layer::told_about_device(what);
  if (!told) return driver->clGetDeviceInfo(device, what, bytes, value, written);
  if (value != nullptr && bytes < told->size()) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, told->data(), told->size());
  if (written != nullptr) *written = told->size();
  return CL_SUCCESS;
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
  ++settings.finishes;
  return driver->clFinish(queue);
}

}  // namespace

extern "C" opencl_layer::Settings* opencl_layer_settings() {
  return &settings;
}

extern "C" cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t bytes, void* value,
                                             size_t* written) {
  if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  constexpr cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (value != nullptr) {
    if (bytes < sizeof version) return CL_INVALID_VALUE;
    std::memcpy(value, &version, sizeof version);
  }
  if (written != nullptr) *written = sizeof version;
  return CL_SUCCESS;
}

extern "C" cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target,
                                          cl_uint* entries_ret, const cl_icd_dispatch** layer) {
  static cl_icd_dispatch table;
  if (entries < sizeof table / sizeof(void*)) return CL_INVALID_VALUE;
  driver = target;
  table = *target;
  table.clCreateBuffer = create_buffer;
  table.clReleaseMemObject = release_buffer;
  table.clEnqueueNDRangeKernel = enqueue_kernel;
  table.clCreateProgramWithSource = create_program;
  table.clGetKernelWorkGroupInfo = kernel_info;
  table.clGetDeviceInfo = device_info;
  table.clFinish = finish;
  *entries_ret = sizeof table / sizeof(void*);
  *layer = &table;
  return CL_SUCCESS;
}
