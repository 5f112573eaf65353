// cross_entropy's gradient along rows; its forward operation is log_softmax and a look-up.
#pragma once

#include "cpu/rows.h"

namespace backplane::cpu {

// diff_src = (exp(log_probabilities) - (1 at the row's label)) * scale, where scale has one value
// for all rows (stride 0) or one for each. A label outside the row gives zeros.
void cross_entropy_backward(Rows rows, RowsOf<const float> log_probabilities,
                            const std::int64_t* labels, RowsOf<const float> scale,
                            RowsOf<float> diff_src);

}  // namespace backplane::cpu
