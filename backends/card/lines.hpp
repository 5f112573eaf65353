// How reductions are laid out: lines of elements, the work-items that share one, and sums.
#pragma once

#include "check.hpp"
#include "plan.hpp"

namespace backplane::card {

// Lines along one axis: where each begins, and how its elements follow.
struct Lines {
  Nest lines, elements;
  i32 lanes;
  [[nodiscard]] Groups grid() const;
};

// Work-items for a line of so many elements: a power of two, up to a group.
[[nodiscard]] i32 lanes_for(i64 length);
// Groups for so many lines.
[[nodiscard]] Groups line_groups(i64 lines, i32 lanes);

// Invalid unless `axis` is one of the operands' axes; a scalar has a line of its one element.
[[nodiscard]] Lines lines_along(const Check& check, std::int32_t axis, Operands operands);

// y = sum of x over the axes whose bit is set, divided by `divisor`; y has dim 1 in their place.
class Sum {
 public:
  // Takes scratch memory from the request where lines are cut into pieces.
  Sum(plugin::Request& request, std::uint32_t axes, const bp_tensor_desc& x,
      const bp_tensor_desc& y, double divisor = 1);

  // `adds`: to what y holds.
  void enqueue(const Call& call, const Memory& dst, const Memory& src, bool adds) const;

 private:
  struct Pass {
    Nest outputs, inputs;
    std::uint32_t y_dtype, x_dtype;
    i64 chunks;
    double divisor;
  };
  static void enqueue(const Call& call, const Pass& pass, const Memory& dst, const Memory& src,
                      bool adds);

  Pass first_, second_{};  // the second one adds up the pieces of the first
  std::uint64_t scratch_ = 0;
};

}  // namespace backplane::card
