// fill needs no code for each instruction set: the compiler's stores are as fast as memory.
#include "cpu/fill.h"

#include <algorithm>

namespace backplane::cpu {

template <class T>
void fill(Plane plane, T bits, Strided<T> dst) {
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    T* d = dst.data + row * dst.row_stride;
    if (dst.stride == 1) {
      std::fill_n(d, plane.count, bits);
    } else {
      for (std::int64_t i = 0; i < plane.count; ++i) d[i * dst.stride] = bits;
    }
  }
}

template void fill(Plane, std::uint8_t, Strided<std::uint8_t>);
template void fill(Plane, std::uint16_t, Strided<std::uint16_t>);
template void fill(Plane, std::uint32_t, Strided<std::uint32_t>);
template void fill(Plane, std::uint64_t, Strided<std::uint64_t>);

}  // namespace backplane::cpu
