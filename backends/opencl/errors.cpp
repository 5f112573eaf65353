// One table of what each OpenCL code is called and means at the border.
#include "errors.hpp"

namespace backplane::opencl {
namespace {

struct Meaning {
  cl_int code;
  const char* name;
  bp_status status = BP_FAILED;
};

#define CODE(name, ...) \
  { name, #name __VA_OPT__(, ) __VA_ARGS__ }
constexpr Meaning meanings[] = {
    CODE(CL_DEVICE_NOT_FOUND, BP_NOT_FOUND),
    CODE(CL_DEVICE_NOT_AVAILABLE, BP_DEVICE_LOST),
    CODE(CL_COMPILER_NOT_AVAILABLE, BP_UNSUPPORTED),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE, BP_OUT_OF_MEMORY),
    CODE(CL_OUT_OF_RESOURCES, BP_OUT_OF_MEMORY),
    CODE(CL_OUT_OF_HOST_MEMORY, BP_OUT_OF_MEMORY),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    CODE(CL_MEM_COPY_OVERLAP),
    CODE(CL_BUILD_PROGRAM_FAILURE),
    CODE(CL_MAP_FAILURE),
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_LINK_PROGRAM_FAILURE),
    CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_DEVICE, BP_NOT_FOUND),
    CODE(CL_INVALID_PLATFORM, BP_NOT_FOUND),
    CODE(CL_INVALID_CONTEXT, BP_DEVICE_LOST),
    CODE(CL_INVALID_QUEUE_PROPERTIES, BP_UNSUPPORTED),
    // Drivers give it for a queue whose work has crashed.
    CODE(CL_INVALID_COMMAND_QUEUE, BP_DEVICE_LOST),
    CODE(CL_INVALID_MEM_OBJECT),
    CODE(CL_INVALID_BINARY),
    CODE(CL_INVALID_BUILD_OPTIONS),
    CODE(CL_INVALID_PROGRAM),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_KERNEL),
    CODE(CL_INVALID_ARG_INDEX),
    CODE(CL_INVALID_ARG_VALUE),
    CODE(CL_INVALID_ARG_SIZE),
    CODE(CL_INVALID_KERNEL_ARGS),
    CODE(CL_INVALID_WORK_GROUP_SIZE, BP_UNSUPPORTED),
    CODE(CL_INVALID_WORK_ITEM_SIZE, BP_UNSUPPORTED),
    CODE(CL_INVALID_EVENT_WAIT_LIST),
    CODE(CL_INVALID_EVENT),
    CODE(CL_INVALID_OPERATION),
    // More than CL_DEVICE_MAX_MEM_ALLOC_SIZE.
    CODE(CL_INVALID_BUFFER_SIZE, BP_OUT_OF_MEMORY),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    CODE(CL_PLATFORM_NOT_FOUND_KHR, BP_NOT_FOUND),
};
#undef CODE

Meaning meaning_of(cl_int code) {
  for (const Meaning& meaning : meanings) {
    if (meaning.code == code) return meaning;
  }
  return {code, "a code that OpenCL 1.2 has no name for"};
}

const char* repair_of(bp_status status) {
  switch (status) {
    case BP_DEVICE_LOST:
      return "; the device can't be used again in this process: restart the program";
    case BP_OUT_OF_MEMORY:
      return "; free tensors or use smaller batches";
    default:
      return "";
  }
}

}  // namespace

plugin::Failure failure(cl_int code, const std::string& what) {
  const Meaning meaning = meaning_of(code);
  return {meaning.status, "opencl: " + what + ": " + meaning.name + " (" + std::to_string(code) +
                              ")" + repair_of(meaning.status)};
}

}  // namespace backplane::opencl
