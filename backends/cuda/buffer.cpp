// Device memory: allocated here, or wrapped where a program owns it.
#include "buffer.hpp"

namespace backplane::cuda {
namespace {

CudaBuffer& get(bp_buffer* handle) {
  return static_cast<CudaBuffer&>(*reinterpret_cast<plugin::Buffer*>(handle));
}

char* allocate_on(int ordinal, std::uint64_t bytes) {
  const CurrentDevice scope(ordinal);
  return static_cast<char*>(allocate_device(bytes));
}

char* owned_by_program(int ordinal, void* memory) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, memory), "asking whose memory is to be wrapped");
  if (attributes.type != cudaMemoryTypeDevice || attributes.device != ordinal) {
    throw plugin::invalid("cuda: memory to wrap must be device memory of cuda:" +
                          std::to_string(ordinal) + "; allocate it there or copy it");
  }
  return static_cast<char*>(memory);
}

}  // namespace

CudaBuffer::CudaBuffer(int ordinal, std::uint64_t bytes)
    : ordinal_(ordinal), owned_(true), memory_(allocate_on(ordinal, bytes)), bytes_(bytes) {}

CudaBuffer::CudaBuffer(int ordinal, void* memory, std::uint64_t bytes)
    : ordinal_(ordinal), owned_(false), memory_(owned_by_program(ordinal, memory)), bytes_(bytes) {}

CudaBuffer::~CudaBuffer() {
  if (owned_) cudaFree(memory_);  // by its address CUDA knows the device
}

Memory memory_of(const bp_arg& argument) {
  if (argument.buffer == nullptr) return {};
  return {static_cast<char*>(get(argument.buffer).native()), static_cast<i64>(argument.offset)};
}

void check_span(const bp_arg& argument, std::uint64_t bytes, const char* what) {
  const std::uint64_t size = argument.buffer == nullptr ? 0 : get(argument.buffer).bytes();
  if (argument.offset > size || bytes > size - argument.offset) {
    throw plugin::invalid(std::string(what) + ": " + std::to_string(bytes) + " bytes from offset " +
                          std::to_string(argument.offset) + " don't lie in a buffer of " +
                          std::to_string(size));
  }
}

}  // namespace backplane::cuda
