// One of oneDNN's primitives, ready to run from several threads at once without allocating.
#pragma once

#include <cstdint>
#include <dnnl.hpp>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backplane/plugin/abi.h"

namespace backplane::onednn {

[[nodiscard]] const dnnl::engine& cpu_engine();

// Of a type that oneDNN computes with, f32 or bf16.
[[nodiscard]] dnnl::memory::data_type memory_type(const bp_tensor_desc& desc);

// Scratch memory is the caller's: part of a plan's workspace.
[[nodiscard]] dnnl::primitive_attr caller_owns_scratchpad();

class Primitive {
 public:
  // An argument's meaning to oneDNN (DNNL_ARG_...) and what its memory looks like; an empty
  // description stands for an argument that is left out.
  struct Slot {
    int argument;
    dnnl::memory::desc desc;
  };

  Primitive() = default;
  Primitive(const dnnl::primitive& primitive, std::vector<Slot> slots);

  // Pointers in the order of the slots.
  void execute(std::span<void* const> pointers) const;
  void execute(std::initializer_list<void*> pointers) const {
    execute(std::span(pointers.begin(), pointers.size()));
  }

 private:
  // oneDNN binds pointers to memory objects, so that each run in flight needs its own set of them.
  struct Frame;
  struct State;
  class Borrowed;
  std::shared_ptr<State> state_;
};

// Weights are plain at the border and in the kernel's own order behind it.
class Reorder {
 public:
  Reorder(const dnnl::memory::desc& src, const dnnl::memory::desc& dst);
  [[nodiscard]] bool needed() const { return needed_; }
  [[nodiscard]] std::uint64_t scratchpad_bytes() const { return scratchpad_bytes_; }
  void execute(const char* src, char* dst, char* scratchpad) const {
    primitive_.execute({const_cast<char*>(src), dst, scratchpad});
  }
  // With scratch memory of its own: runs bring a workspace, preparations don't.
  void pack(const char* src, char* dst) const {
    std::vector<char> scratchpad(scratchpad_bytes_);
    execute(src, dst, scratchpad.data());
  }

 private:
  bool needed_;
  Primitive primitive_;
  std::uint64_t scratchpad_bytes_ = 0;
};

// So many bytes and what is left of their last cache line.
[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t bytes) {
  constexpr std::uint64_t line = 64;
  return (bytes + line - 1) / line * line;
}

// Lays out the parts of a workspace one after the other.
class WorkspaceLayout {
 public:
  // Where a part of so many bytes begins.
  std::uint64_t add(std::uint64_t bytes) {
    const std::uint64_t begin = bytes_;
    bytes_ += aligned(bytes);
    return begin;
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace backplane::onednn
