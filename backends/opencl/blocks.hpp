// The register blocks of kernels/opencl/blocks.h as the host counts them.
#pragma once

#include "card/plan.hpp"

namespace backplane::opencl {

struct Blocks {
  explicit Blocks(i64 lanes) : rows(lanes / 2), columns(3 * lanes), lanes(lanes) {}
  i64 rows, columns, lanes;
};

[[nodiscard]] constexpr i64 rounded_up(i64 count, i64 unit) {
  return (count + unit - 1) / unit * unit;
}

// Scratch memory for so many floats; returns where it begins.
[[nodiscard]] inline std::uint64_t reserve_floats(plugin::Request& request, i64 count) {
  return card::reserve(request, static_cast<std::uint64_t>(count) * sizeof(float));
}

}  // namespace backplane::opencl
