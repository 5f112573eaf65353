// Bytes on one device, and what kernels get of them: a handle and an offset.
#pragma once

#include "arguments.h"
#include "backplane/plugin/backend.hpp"

namespace backplane::card {

// One tensor argument of a kernel: the native handle of a buffer (an address in CUDA, a cl_mem in
// OpenCL), and the bytes to skip in it.
struct Memory {
  void* handle = nullptr;
  i64 offset = 0;
};

// `memory`, so many elements further on.
[[nodiscard]] inline Memory advanced(Memory memory, i64 elements,
                                     i64 element_bytes = sizeof(float)) {
  memory.offset += elements * element_bytes;
  return memory;
}

class Buffer : public plugin::Buffer {
 public:
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

// The memory of an argument; nothing for an absent one.
[[nodiscard]] Memory memory_of(const bp_arg& argument);

// Invalid, in the name of `what`, if the argument's buffer ends before so many bytes.
void check_span(const bp_arg& argument, std::uint64_t bytes, const char* what);

}  // namespace backplane::card
