// Bytes on one card.
#pragma once

#include "card/memory.hpp"
#include "handles.hpp"

namespace backplane::cuda {

// Where the bytes of an argument begin.
[[nodiscard]] inline char* address(const card::Memory& memory) {
  return static_cast<char*>(memory.handle) + memory.offset;
}

class CudaBuffer final : public card::Buffer {
 public:
  // Allocates.
  CudaBuffer(int ordinal, std::uint64_t bytes);
  // Uses memory that somebody else owns.
  CudaBuffer(int ordinal, void* memory, std::uint64_t bytes);
  ~CudaBuffer() override;
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;

  void* native() override { return memory_; }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] int ordinal() const { return ordinal_; }

 private:
  int ordinal_;
  bool owned_;
  char* memory_;
  std::uint64_t bytes_;
};

// The card on which an argument's buffer lies; invalid for an absent one.
[[nodiscard]] int ordinal_of(const bp_arg& argument);

}  // namespace backplane::cuda
