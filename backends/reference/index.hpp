// What operations with an index share: the lines it counts along, and the report of a wrong one.
#pragma once

#include "lines.hpp"
#include "plan.hpp"

namespace backplane::reference {

// Along one axis of x, and of an index that has other elements there and x's dims elsewhere.
struct Indexed {
  Lines x, index;

  [[nodiscard]] bool in_range(std::int64_t at) const { return 0 <= at && at < x.length; }

  // Calls visit(first in x, first in index) for each pair of lines.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int64_t i = 0; i < x.outer; ++i) {
      for (std::int64_t j = 0; j < x.step; ++j) {
        visit(i * x.length * x.step + j, i * index.length * index.step + j);
      }
    }
  }
};

[[nodiscard]] inline Indexed indexed_along(const Check& check, const bp_tensor_desc& x,
                                           const bp_tensor_desc& index, std::int32_t axis) {
  const Indexed lines{lines_along(check, x, axis), lines_along(check, index, axis)};
  bp_tensor_desc elsewhere = index;
  if (x.rank != 0) elsewhere.dims[axis] = x.dims[axis];
  check.same_dims(elsewhere, "index, but for the axis,", x);
  return lines;
}

// Reports the first element of an index that is not in [0, limit).
inline void report_out_of_range(const Call& call, std::size_t input, std::int64_t limit) {
  bp_tensor_desc once = call.input(input).desc;
  for (std::uint32_t axis = 0; axis < once.rank; ++axis) {
    if (once.strides[axis] == 0 && once.dims[axis] != 0) once.dims[axis] = 1;
  }
  const auto index = reference::load<std::int64_t>({once, call.input(input).data});
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (0 <= index[i] && index[i] < limit) continue;
    call.faults.report(call.sequence, static_cast<std::int64_t>(i), index[i], limit);
    return;
  }
}

// Both floating, or one integer type.
inline void check_kind(const Check& check, const bp_tensor_desc& a, const bp_tensor_desc& b) {
  check.that((is_floating(a) && is_floating(b)) || a.dtype == b.dtype,
             std::string("takes floating types or one integer type, got ") + dtype_name(a.dtype) +
                 " and " + dtype_name(b.dtype));
}

}  // namespace backplane::reference
