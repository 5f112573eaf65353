// The files of this folder: each adds the rows of one operation and of its gradients, or of a
// family.
#pragma once

#include <array>

#include "case.hpp"

namespace conformance {

// One for each file, and what is no operation: `gradients` and `machinery`.
// clang-format off
#define CONFORMANCE_ROWS(file)  \
  file(activation)              \
  file(adam_step)               \
  file(add)                     \
  file(affine)                  \
  file(arg_max)                 \
  file(arithmetic)              \
  file(avg_pool2d)              \
  file(clip)                    \
  file(comparison)              \
  file(conv2d)                  \
  file(conv2d_activation)       \
  file(conv2d_relu_max_pool)    \
  file(copy)                    \
  file(cross_entropy)           \
  file(cumsum)                  \
  file(dropout)                 \
  file(dropout2d)               \
  file(fill)                    \
  file(flip)                    \
  file(fold)                    \
  file(gather)                  \
  file(interpolate)             \
  file(log_softmax)             \
  file(matmul)                  \
  file(max_pool2d)              \
  file(mean)                    \
  file(mul)                     \
  file(nll)                     \
  file(normal)                  \
  file(normalize)               \
  file(pair_loss)               \
  file(preparation)             \
  file(relations)               \
  file(relu)                    \
  file(rmsprop_step)            \
  file(scale_shift)             \
  file(scatter_add)             \
  file(sgd_step)                \
  file(softmax)                 \
  file(standardize)             \
  file(sum)                     \
  file(top_k)                   \
  file(unary)                   \
  file(uniform)                 \
  file(gradients)               \
  file(machinery)
// clang-format on

#define CONFORMANCE_FILE(name) void name##_rows(Suite& suite);
CONFORMANCE_ROWS(CONFORMANCE_FILE)
#undef CONFORMANCE_FILE

using RowsOf = void (*)(Suite&);
inline constexpr std::array operation_rows{
#define CONFORMANCE_FILE(name) RowsOf{name##_rows},
    CONFORMANCE_ROWS(CONFORMANCE_FILE)
#undef CONFORMANCE_FILE
};

}  // namespace conformance
