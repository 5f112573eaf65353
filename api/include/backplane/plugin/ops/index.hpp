// Operations that pick elements, or put them, by their positions along an axis.
//
// An index is i64 and counts from 0; the axis it counts along has `limit` elements. One outside of
// [0, limit) writes the error record, whose index is its place among the elements of the index
// tensor, row-major; axes along which that repeats (stride 0) don't count there.
#pragma once

#include <cstdint>

namespace backplane::op {

// x -> y of equal dims, backwards along the axes whose bit is set. It is its own gradient.
struct Flip {
  std::uint32_t axes;
};

// x, index -> y of the dims of index: along one axis, y[..., i, ...] = x[..., index[..., i, ...],
// ...]. The other dims are those of x. An index out of range gives 0.
struct Gather {
  std::int32_t axis;
};

// x, index, source -> y: x, and at [..., index[..., i, ...], ...] each source[..., i, ...] added,
// in the order of i, whatever the device. index and source have equal dims, along the other axes
// those of x. What has an index out of range is left out. Integers wrap.
struct ScatterAdd {
  std::int32_t axis;
};

// x -> values, and their i64 positions in x: the first elements along one axis, as many as the
// outputs have there, of an order from the largest to the smallest, or the other way round. NaN
// counts as larger than everything, as in PyTorch; among equals (-0 and +0 are) the first one comes
// first.
struct TopK {
  std::int32_t axis;
  std::uint32_t largest;  // 0: the smallest ones
};

// clang-format off
#define BACKPLANE_INDEX_OPS(row)                              \
  row(Flip,       flip,         110, 1, 1, 0, false, false)  \
  row(Gather,     gather,       111, 2, 1, 0, false, false)  \
  row(ScatterAdd, scatter_add,  112, 3, 1, 0, false, false)  \
  row(TopK,       top_k,        113, 1, 2, 0, false, false)
// clang-format on

}  // namespace backplane::op
