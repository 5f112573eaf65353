// Transposes of matrices of 4-byte elements.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// dst[column][row] = src[row][column]; strides lead from row to row, in elements. The bits are
// kept.
struct Transpose {
  std::int64_t rows, columns, src_stride, dst_stride;
};
void transpose(const Transpose& transpose, const std::uint32_t* src, std::uint32_t* dst);

}  // namespace backplane::cpu
