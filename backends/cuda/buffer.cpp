// Device memory: allocated here, or wrapped where a program owns it.
#include "buffer.hpp"

namespace backplane::cuda {
namespace {

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

int ordinal_of(const bp_arg& argument) {
  if (argument.buffer == nullptr) throw plugin::invalid("cuda: there must be a buffer, got none");
  auto* buffer = reinterpret_cast<plugin::Buffer*>(argument.buffer);
  return static_cast<const CudaBuffer*>(buffer)->ordinal();
}

}  // namespace backplane::cuda
