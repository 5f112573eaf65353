// Every operation that crosses the border: one plain struct of 32-bit fields, and one row. They
// stand by families in the folder ops/. What they do with NaN, ties and the like: rules.md.
//
// A tensor's shape is never in a struct, only what its shapes don't say. What changes from step to
// step is in `Scalars` (copied at each run), so that it never makes a new plan. Notation: N
// samples, C channels, H rows, W columns; dy is the gradient of the loss with respect to y.
#pragma once

#include <cstdint>

#include "backplane/plugin/ops/activation.hpp"
#include "backplane/plugin/ops/arithmetic.hpp"
#include "backplane/plugin/ops/comparison.hpp"
#include "backplane/plugin/ops/convolution.hpp"
#include "backplane/plugin/ops/data.hpp"
#include "backplane/plugin/ops/fused.hpp"
#include "backplane/plugin/ops/index.hpp"
#include "backplane/plugin/ops/interpolation.hpp"
#include "backplane/plugin/ops/loss.hpp"
#include "backplane/plugin/ops/matmul.hpp"
#include "backplane/plugin/ops/memory.hpp"
#include "backplane/plugin/ops/normalization.hpp"
#include "backplane/plugin/ops/optimizer.hpp"
#include "backplane/plugin/ops/pooling.hpp"
#include "backplane/plugin/ops/random.hpp"
#include "backplane/plugin/ops/reduction.hpp"
#include "backplane/plugin/ops/softmax.hpp"
#include "backplane/plugin/ops/unary.hpp"

namespace backplane::op {

// What one row says: inputs and outputs are the most that may come (0 with `variadic` set: as many
// as the struct's count asks for); adds_to has a bit for each output that can be added to instead
// of overwritten; in_place: output 0 may be the memory of input 0.
struct Row {
  const char* name;
  std::uint32_t id, inputs, outputs, adds_to;
  bool in_place, variadic;
};

// row(struct, name, id, inputs, outputs, adds_to, in_place, variadic). An id is never used again.
// The name is the one spelling, of messages, kernels and most files.
#define BACKPLANE_OPS(row)       \
  BACKPLANE_MEMORY_OPS(row)      \
  BACKPLANE_ARITHMETIC_OPS(row)  \
  BACKPLANE_COMPARISON_OPS(row)  \
  BACKPLANE_REDUCTION_OPS(row)   \
  BACKPLANE_UNARY_OPS(row)       \
  BACKPLANE_ACTIVATION_OPS(row)  \
  BACKPLANE_SOFTMAX_OPS(row)     \
  BACKPLANE_MATMUL_OPS(row)      \
  BACKPLANE_CONVOLUTION_OPS(row) \
  BACKPLANE_POOLING_OPS(row)     \
  BACKPLANE_FUSED_OPS(row)       \
  BACKPLANE_NORM_OPS(row)        \
  BACKPLANE_INTERPOLATE_OPS(row) \
  BACKPLANE_RANDOM_OPS(row)      \
  BACKPLANE_LOSS_OPS(row)        \
  BACKPLANE_DATA_OPS(row)        \
  BACKPLANE_INDEX_OPS(row)       \
  BACKPLANE_OPTIMIZER_OPS(row)

// The row of one struct, and the row of an id (null: unknown).
template <class Op>
inline constexpr Row row_of{};

#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic) \
  template <>                                                       \
  inline constexpr Row row_of<Op>{#name, id, in, out, adds, place, variadic};
BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

constexpr const Row* find_row(std::uint32_t id) {
  switch (id) {
#define BACKPLANE_ROW(Op, name, number, in, out, adds, place, variadic) \
  case number:                                                          \
    return &row_of<Op>;
    BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
  }
  return nullptr;
}

}  // namespace backplane::op
