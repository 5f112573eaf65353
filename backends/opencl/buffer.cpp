// Where the bytes of a cl_mem come from, and when they go.
#include "buffer.hpp"

#include <algorithm>

namespace backplane::opencl {
namespace {

struct HostBlock {
  void* memory;
  std::uint64_t bytes;
};

// Called once no command uses the memory any more, which may be long after the release.
void CL_CALLBACK release_block(cl_mem, void* data) {
  const std::unique_ptr<HostBlock> block(static_cast<HostBlock*>(data));
  plugin::host()->release(block->memory, block->bytes);
}

plugin::Failure no_room(cl_int code, std::uint64_t bytes) {
  return failure(code, "allocating " + std::to_string(bytes) + " bytes");
}

Mem allocate_in_host_memory(cl_context context, std::uint64_t bytes) {
  auto block = std::make_unique<HostBlock>(plugin::host()->allocate(bytes), bytes);
  if (block->memory == nullptr) throw no_room(CL_OUT_OF_HOST_MEMORY, bytes);
  cl_int code = CL_SUCCESS;
  Mem made(cl().clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
                               block->memory, &code));
  if (code == CL_SUCCESS) {
    code = cl().clSetMemObjectDestructorCallback(made.get(), release_block, block.get());
  }
  if (code != CL_SUCCESS) {
    made.reset();
    plugin::host()->release(block->memory, bytes);
    throw no_room(code, bytes);
  }
  (void)block.release();  // the callback's
  return made;
}

}  // namespace

Mem allocate(cl_context context, std::uint64_t bytes, bool in_host_memory) {
  bytes = std::max<std::uint64_t>(bytes, 1);  // OpenCL has no empty buffers
  if (in_host_memory) return allocate_in_host_memory(context, bytes);
  cl_int code = CL_SUCCESS;
  Mem made(cl().clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &code));
  if (code != CL_SUCCESS) throw no_room(code, bytes);
  return made;
}

Mem wrap(cl_context context, void* memory, std::uint64_t bytes) {
  const auto object = static_cast<cl_mem>(memory);
  cl_context owner = nullptr;
  std::size_t size = 0;
  check(cl().clGetMemObjectInfo(object, CL_MEM_CONTEXT, sizeof owner, &owner, nullptr),
        "asking whose memory is to be wrapped");
  check(cl().clGetMemObjectInfo(object, CL_MEM_SIZE, sizeof size, &size, nullptr),
        "asking for the size of memory to wrap");
  if (owner != context || bytes > size) {
    throw plugin::invalid(
        "opencl: memory to wrap must be a cl_mem of the device's context with at "
        "least " +
        std::to_string(bytes) + " bytes, has " + std::to_string(size) +
        "; make it in the context of a queue's native handle, or copy it");
  }
  check(cl().clRetainMemObject(object), "wrapping memory");
  return Mem(object);
}

}  // namespace backplane::opencl
