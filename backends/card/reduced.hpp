// What reductions demand of their shapes.
#pragma once

#include "check.hpp"
#include "shape.hpp"

namespace backplane::card {

// `reduced` is what is left of x, with dim 1 along the axes whose bit is set.
inline void check_reduced(const Check& check, const bp_tensor_desc& x, std::uint32_t axes,
                          const bp_tensor_desc& reduced, const char* name) {
  bp_tensor_desc expected = x;
  check.that(axes >> x.rank == 0, "an axis is past the last one of x, " + describe(x));
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    if ((axes >> axis & 1) != 0) expected.dims[axis] = 1;
  }
  check.same_dims(reduced, name, expected);
}

}  // namespace backplane::card
