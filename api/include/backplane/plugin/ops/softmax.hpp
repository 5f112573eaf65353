// Softmax and its logarithm.
#pragma once

#include <cstdint>

namespace backplane::op {

// x -> y = exp(x - max) / sum(exp(x - max)) along one axis.
struct Softmax {
  std::int32_t axis;
};

// dy, y -> dx = y * (dy - sum(dy * y)).
struct SoftmaxBackward {
  std::int32_t axis;
};

// x -> y = x - max - log(sum(exp(x - max))) along one axis.
struct LogSoftmax {
  std::int32_t axis;
};

// dy, y -> dx = dy - exp(y) * sum(dy).
struct LogSoftmaxBackward {
  std::int32_t axis;
};

// clang-format off
#define BACKPLANE_SOFTMAX_OPS(row)                                           \
  row(Softmax,            softmax,               18, 1, 1, 0, false, false)  \
  row(SoftmaxBackward,    softmax_backward,      19, 2, 1, 0, false, false)  \
  row(LogSoftmax,         log_softmax,           20, 1, 1, 0, false, false)  \
  row(LogSoftmaxBackward, log_softmax_backward,  21, 2, 1, 0, false, false)
// clang-format on

}  // namespace backplane::op
