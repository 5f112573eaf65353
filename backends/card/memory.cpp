// Arguments at the border, measured against their buffers.
#include "memory.hpp"

namespace backplane::card {
namespace {

Buffer& get(bp_buffer* handle) {
  return static_cast<Buffer&>(plugin::get(handle));
}

}  // namespace

Memory memory_of(const bp_arg& argument) {
  if (argument.buffer == nullptr) return {};
  return {get(argument.buffer).native(), static_cast<i64>(argument.offset)};
}

void check_span(const bp_arg& argument, std::uint64_t bytes, const char* what) {
  const std::uint64_t size = argument.buffer == nullptr ? 0 : get(argument.buffer).bytes();
  if (argument.offset > size || bytes > size - argument.offset) {
    throw plugin::invalid(std::string(what) + ": " + std::to_string(bytes) + " bytes from offset " +
                          std::to_string(argument.offset) + " don't lie in a buffer of " +
                          std::to_string(size));
  }
}

}  // namespace backplane::card
