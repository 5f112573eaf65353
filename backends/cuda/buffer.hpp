// Bytes on one device, and what kernels get of them: a start and an offset.
#pragma once

#include "arguments.h"
#include "handles.hpp"

namespace backplane::cuda {

// One tensor argument of a kernel.
struct Memory {
  char* start = nullptr;
  i64 offset = 0;
  [[nodiscard]] char* pointer() const { return start + offset; }
};

class CudaBuffer final : public plugin::Buffer {
 public:
  // Allocates.
  CudaBuffer(int ordinal, std::uint64_t bytes);
  // Uses memory that somebody else owns.
  CudaBuffer(int ordinal, void* memory, std::uint64_t bytes);
  ~CudaBuffer() override;
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;

  void* native() override { return memory_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  int ordinal_;
  bool owned_;
  char* memory_;
  std::uint64_t bytes_;
};

// The memory of an argument; nothing for an absent one.
[[nodiscard]] Memory memory_of(const bp_arg& argument);

// Invalid, in the name of `what`, if the argument's buffer ends before so many bytes.
void check_span(const bp_arg& argument, std::uint64_t bytes, const char* what);

}  // namespace backplane::cuda
