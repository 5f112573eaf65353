// Elements as the unsigned integers of their size, as which every value survives a move.
#pragma once

#include "cpu/copy.h"
#include "nest.hpp"

namespace backplane::onednn {

// Calls body(T{}) with the unsigned integer of so many bytes: 1, 2, 4 or 8.
template <class Body>
auto with_bits(std::uint64_t bytes, const Body& body) {
  switch (bytes) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    default:
      return body(std::uint64_t{});
  }
}

// dst = src; the operands of the nest are those two.
template <class Bits>
void copy(const Nest& nest, std::uint32_t threads, const Bits* src, Bits* dst) {
  nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
    cpu::copy(plane, strided(src, at[1]), strided(dst, at[0]));
  });
}

}  // namespace backplane::onednn
