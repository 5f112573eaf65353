// Memory and handles that a program shares with OpenCL code of its own, through the plug-in's
// table.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "backplane/plugin/abi.h"

namespace {

const bp_host host{
    .struct_size = sizeof(bp_host),
    .abi_major = BP_ABI_MAJOR,
    .abi_minor = BP_ABI_MINOR,
    .log = [](std::uint32_t, const char*) {},
    .allocate =
        [](std::uint64_t bytes) { return std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096); },
    .release = [](void* memory, std::uint64_t) { std::free(memory); },
    .threads = [] { return 1u; },
};

// The first device and a queue on it.
struct Opened {
  const bp_backend& table;
  bp_device* device = nullptr;
  bp_queue* queue = nullptr;

  Opened() : table(load()) {
    REQUIRE(table.device_open(0, &device) == BP_OK);
    REQUIRE(table.queue_create(device, &queue) == BP_OK);
  }
  ~Opened() {
    table.queue_destroy(queue);
    table.device_close(device);
  }
  static const bp_backend& load() {
    void* library = dlopen(OPENCL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    return *reinterpret_cast<bp_entry>(dlsym(library, "backplane_backend"))(&host);
  }
  [[nodiscard]] cl_context context() const {
    void* native = nullptr;
    REQUIRE(table.native_handle(BP_NATIVE_QUEUE, queue, &native) == BP_OK);
    cl_context context = nullptr;
    REQUIRE(clGetCommandQueueInfo(static_cast<cl_command_queue>(native), CL_QUEUE_CONTEXT,
                                  sizeof context, &context, nullptr) == CL_SUCCESS);
    return context;
  }
};

cl_uint references_to(cl_mem memory) {
  cl_uint count = 0;
  clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr);
  return count;
}

}  // namespace

TEST_CASE("native: the handles of a device and its queue belong together") {
  const Opened opened;
  void* device = nullptr;
  REQUIRE(opened.table.native_handle(BP_NATIVE_DEVICE, opened.device, &device) == BP_OK);
  cl_device_id of_context = nullptr;
  REQUIRE(clGetContextInfo(opened.context(), CL_CONTEXT_DEVICES, sizeof of_context, &of_context,
                           nullptr) == CL_SUCCESS);
  CHECK(device == of_context);
}

TEST_CASE("native: a program's cl_mem is used where it is, and stays the program's") {
  const Opened opened;
  const bp_backend& table = opened.table;
  cl_mem memory = clCreateBuffer(opened.context(), CL_MEM_READ_WRITE, 64, nullptr, nullptr);
  REQUIRE(memory != nullptr);
  bp_buffer* buffer = nullptr;
  REQUIRE(table.buffer_wrap(opened.device, memory, 64, &buffer) == BP_OK);
  void* native = nullptr;
  CHECK(table.native_handle(BP_NATIVE_BUFFER, buffer, &native) == BP_OK);
  CHECK(native == memory);

  const std::array<int, 2> sent{7, 8};
  std::array<int, 2> found{};
  CHECK(table.upload(opened.queue, {buffer, 56}, sent.data(), sizeof sent) == BP_OK);
  CHECK(table.download(opened.queue, {buffer, 56}, found.data(), sizeof found) == BP_OK);
  CHECK(table.queue_synchronize(opened.queue) == BP_OK);
  CHECK(found == sent);
  CHECK(table.upload(opened.queue, {buffer, 60}, sent.data(), sizeof sent) == BP_INVALID);
  table.buffer_free(buffer);
  CHECK(references_to(memory) == 1);
  clReleaseMemObject(memory);
}

TEST_CASE("native: memory that is too short, or of another context, isn't wrapped") {
  const Opened opened, other;
  cl_mem memory = clCreateBuffer(other.context(), CL_MEM_READ_WRITE, 64, nullptr, nullptr);
  bp_buffer* buffer = nullptr;
  CHECK(opened.table.buffer_wrap(opened.device, memory, 64, &buffer) == BP_INVALID);
  CHECK(other.table.buffer_wrap(other.device, memory, 65, &buffer) == BP_INVALID);
  CHECK(references_to(memory) == 1);
  clReleaseMemObject(memory);
}
