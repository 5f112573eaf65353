// Convolutions as a CPU's kernels see them: directions, workers, and their scratch memory.
#pragma once

#include "blocks.hpp"
#include "card/convolution.hpp"
#include "opencl/arguments.h"
#include "programs.hpp"

namespace backplane::opencl {

// Reads `input`, writes `output`.
[[nodiscard]] Convolution forward(const card::Geometry& geometry, const bp_tensor_desc& input,
                                  const bp_tensor_desc& output);
// Reads dy, writes dx: a convolution whose input has gaps and whose filters are flipped.
[[nodiscard]] Convolution backward_data(const card::Geometry& geometry, const bp_tensor_desc& dy,
                                        const bp_tensor_desc& dx);

// A launch whose work-items each have scratch memory of their own.
struct Workers {
  i64 count, floats_each;
  std::uint64_t scratch = 0;  // in the workspace
};

// How conv2d_blocked divides its work.
struct Division {
  Workers workers;
  i64 parts;              // of the output channels, where there are few images
  std::uint64_t filters;  // in the workspace, in panels
};

// Nothing where the scratch memory would get too large.
[[nodiscard]] std::optional<Division> divide(const Programs& programs, plugin::Request& request,
                                             const Convolution& convolution);
[[nodiscard]] std::optional<Workers> divide_weight(const Programs& programs,
                                                   plugin::Request& request,
                                                   const Convolution& convolution);

}  // namespace backplane::opencl
