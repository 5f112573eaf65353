// log_softmax along rows, and its backward operation. A NaN or an infinite maximum makes the whole
// row NaN, as the definition does.
#pragma once

#include "cpu/rows.h"

namespace backplane::cpu {

// dst = src - max - log(sum(exp(src - max))).
void log_softmax(Rows rows, RowsOf<const float> src, RowsOf<float> dst);

// diff_src = diff_dst - exp(dst) * sum(diff_dst).
void log_softmax_backward(Rows rows, RowsOf<const float> diff_dst, RowsOf<const float> dst,
                          RowsOf<float> diff_src);

}  // namespace backplane::cpu
