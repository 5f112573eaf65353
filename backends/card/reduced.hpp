// What sum and mean demand of their shapes.
#pragma once

#include "check.hpp"
#include "shape.hpp"

namespace backplane::card {

inline void check_reduced(const Check& check, const plugin::Request& request, std::uint32_t axes) {
  bp_tensor_desc reduced = request.inputs[0];
  check.that(axes >> reduced.rank == 0,
             "an axis is past the last one of x, " + describe(request.inputs[0]));
  for (std::uint32_t axis = 0; axis < reduced.rank; ++axis) {
    if ((axes >> axis & 1) != 0) reduced.dims[axis] = 1;
  }
  check.same_dims(request.outputs[0], "y", reduced);
}

}  // namespace backplane::card
