// The windows of a max-pool, for max_pool2d and what has one inside.
#pragma once

#include "check.hpp"
#include "shape.hpp"

namespace backplane::card {

// Throws where parameters and dims contradict each other.
[[nodiscard]] Window fit_pool(const Check& check, const op::MaxPool2dParams& params,
                              const bp_tensor_desc& x, const bp_tensor_desc& y);

// The start of x's plane for each element of y.
[[nodiscard]] inline bp_tensor_desc planes_of(const bp_tensor_desc& x, const bp_tensor_desc& y) {
  return view(
      x, {{y.dims[0], x.strides[0]}, {y.dims[1], x.strides[1]}, {y.dims[2], 0}, {y.dims[3], 0}});
}

}  // namespace backplane::card
