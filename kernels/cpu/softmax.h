// softmax and log_softmax along rows without gaps, and their backward operations. A NaN or an
// infinite maximum makes the whole row NaN, as the definition does.
#pragma once

#include <cstdint>

namespace backplane::cpu {

// `rows` rows of `count` elements; strides between rows count elements.
struct Rows {
  std::int64_t rows, count;
};
template <class T>
struct RowsOf {
  T* data;
  std::int64_t row_stride;
};

// dst = exp(src - max) / sum(exp(src - max)).
void softmax(Rows rows, RowsOf<const float> src, RowsOf<float> dst);
// diff_src = dst * (diff_dst - sum(diff_dst * dst)).
void softmax_backward(Rows rows, RowsOf<const float> diff_dst, RowsOf<const float> dst,
                      RowsOf<float> diff_src);

// dst = src - max - log(sum(exp(src - max))).
void log_softmax(Rows rows, RowsOf<const float> src, RowsOf<float> dst);
// diff_src = diff_dst - exp(dst) * sum(diff_dst).
void log_softmax_backward(Rows rows, RowsOf<const float> diff_dst, RowsOf<const float> dst,
                          RowsOf<float> diff_src);

// diff_src = (exp(log_probabilities) - (1 at the row's label)) * scale, where scale has one value
// for all rows (stride 0) or one for each (stride 1). A label outside the row gives zeros.
void cross_entropy_backward(Rows rows, RowsOf<const float> log_probabilities,
                            const std::int64_t* labels, RowsOf<const float> scale,
                            RowsOf<float> diff_src);

}  // namespace backplane::cpu
