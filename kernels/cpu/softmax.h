// softmax along rows, and its backward operation. A NaN or an infinite maximum makes the whole row
// NaN, as the definition does.
#pragma once

#include "cpu/rows.h"

namespace backplane::cpu {

// dst = exp(src - max) / sum(exp(src - max)).
void softmax(Rows rows, RowsOf<const float> src, RowsOf<float> dst);

// diff_src = dst * (diff_dst - sum(diff_dst * dst)).
void softmax_backward(Rows rows, RowsOf<const float> diff_dst, RowsOf<const float> dst,
                      RowsOf<float> diff_src);

}  // namespace backplane::cpu
