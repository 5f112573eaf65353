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

// Each output of y is a line of x over the axes whose bit is set; y has dim 1 in their place. Where
// outputs are few and lines long, a line is cut into chunks, whose results, by output and chunk,
// lie densely in scratch memory, and a second pass goes over those.
class ChunkedLines {
 public:
  struct Pass {
    Nest outputs, inputs;
    std::uint32_t y_dtype, x_dtype;
    i64 chunks;  // 1 in the last pass, and in no other
    [[nodiscard]] i32 lanes() const { return lanes_for(inputs.count / chunks); }
    [[nodiscard]] Groups grid() const { return line_groups(outputs.count * chunks, lanes()); }
  };

  // Takes scratch memory from the request where lines are cut; results of chunks have
  // `chunk_dtype`.
  ChunkedLines(plugin::Request& request, std::uint32_t axes, const bp_tensor_desc& x,
               const bp_tensor_desc& y, std::uint32_t chunk_dtype);

  // Calls enqueue(pass, dst, src) once, or twice with the scratch memory in between.
  template <class Enqueue>
  void for_each_pass(const Call& call, const Memory& dst, const Memory& src,
                     const Enqueue& enqueue) const {
    if (first_.chunks == 1) return enqueue(first_, dst, src);
    const Memory scratch = call.workspace(scratch_);
    enqueue(first_, scratch, src);
    enqueue(second_, dst, scratch);
  }

 private:
  Pass first_, second_{};
  std::uint64_t scratch_ = 0;
};

// y = sum of x over such axes, divided by `divisor`.
class Sum {
 public:
  Sum(plugin::Request& request, std::uint32_t axes, const bp_tensor_desc& x,
      const bp_tensor_desc& y, double divisor = 1);

  // `adds`: to what y holds.
  void enqueue(const Call& call, const Memory& dst, const Memory& src, bool adds) const;

 private:
  ChunkedLines lines_;
  double divisor_;
};

}  // namespace backplane::card
