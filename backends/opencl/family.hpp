// Two families of kernels: what suits a GPU runs a CPU at a few percent of its speed.
#pragma once

#include <optional>
#include <string_view>

#include "loader.hpp"

namespace backplane::opencl {

enum class Family {
  gpu,  // many work-items in groups that share local memory
  cpu   // few fat work-items, each a group of its own, with vectors in registers
};

// The table that chooses; nothing is measured at run time.
[[nodiscard]] inline Family family_of(cl_device_type type) {
  return (type & CL_DEVICE_TYPE_CPU) != 0 ? Family::cpu : Family::gpu;
}

[[nodiscard]] inline std::optional<Family> parse_family(std::string_view name) {
  if (name == "gpu") return Family::gpu;
  if (name == "cpu") return Family::cpu;
  return std::nullopt;
}

}  // namespace backplane::opencl
