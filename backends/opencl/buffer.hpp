// Device memory: allocated here, or wrapped where a program owns it.
#pragma once

#include "card/memory.hpp"
#include "handles.hpp"

namespace backplane::opencl {

class OpenclBuffer final : public card::Buffer {
 public:
  OpenclBuffer(Mem memory, std::uint64_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}

  void* native() override { return memory_.get(); }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }

 private:
  Mem memory_;
  std::uint64_t bytes_;
};

// `in_host_memory`: on a device that computes in it, memory of the program's own kind (huge pages)
// serves as well, and fresh pages are dear.
[[nodiscard]] Mem allocate(cl_context context, std::uint64_t bytes, bool in_host_memory);

// Another reference to a program's cl_mem; invalid unless it belongs to `context` and is as long.
[[nodiscard]] Mem wrap(cl_context context, void* memory, std::uint64_t bytes);

}  // namespace backplane::opencl
