// Sums of magnitudes: what rounding errors of linear operations are measured against.
#pragma once

#include "observe/bounds.hpp"

namespace backplane::detail {

// The operation on |inputs| (and |previous|, |scalars|), by the reference in f64, so that nothing
// overflows where the operation itself doesn't. Integer outputs, which round nothing: 0.
[[nodiscard]] Bounds magnitudes(const BoundRequest& request);

// How many terms the longest of its sums has, each multiplication counted with its addition.
[[nodiscard]] double summed_terms(const BoundRequest& request);

}  // namespace backplane::detail
