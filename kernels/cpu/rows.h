// What a kernel along rows works on: rows without gaps, any distance apart.
#pragma once

#include <cstdint>

namespace backplane::cpu {

struct Rows {
  std::int64_t rows, count;
};

// The stride between rows counts elements.
template <class T>
struct RowsOf {
  T* data;
  std::int64_t row_stride;
};

}  // namespace backplane::cpu
