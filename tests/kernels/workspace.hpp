// Memory as kernels want it, with a guard behind it.
#pragma once

#include <cstddef>
#include <vector>

namespace kernels_test {

class Workspace {
 public:
  explicit Workspace(std::size_t bytes) : bytes_(bytes), memory_(bytes / line + 2) {
    end()[0] = guard;
  }
  [[nodiscard]] void* data() { return memory_.data(); }
  // Whether nobody wrote behind it.
  [[nodiscard]] bool whole() { return end()[0] == guard; }

 private:
  static constexpr std::size_t line = 64;
  static constexpr unsigned char guard = 0xA5;
  struct alignas(line) Line {
    unsigned char bytes[line];
  };
  unsigned char* end() { return memory_[0].bytes + bytes_; }

  std::size_t bytes_;
  std::vector<Line> memory_;
};

}  // namespace kernels_test
