// nll and its gradient: the negative log-probability of each label, smoothed and weighted.
// check_range.cl reports a label out of range.
#include "nest.h"

FN i32 label_counts(i64 label, Labels of) {
  return 0 <= label && label < of.classes && label != of.ignored;
}

#define WEIGHT_OF(c) (of.weighted ? SRC_AS(float, weight)[(c)*of.weight_stride] : 1.0f)

// The loss of each label, and the weight it has. Operands of the nest: loss, share, log_p of class
// 0, labels.
KERNEL(nll, Nest nest, Labels of, DST(loss), DST(share), SRC(log_p), SRC(labels), SRC(weight)) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 4);
    const i64 label = SRC_AS(i64, labels)[p.at[3]];
    float value = 0.0f, here = 0.0f;
    if (label_counts(label, of)) {
      here = WEIGHT_OF(label);
      value =
          (1.0f - of.smoothing) * here * SRC_AS(float, log_p)[p.at[2] + label * of.class_stride];
      if (of.smoothing > 0.0f) {
        float sum = 0.0f;
        for (i64 c = 0; c < of.classes; ++c) {
          sum += WEIGHT_OF(c) * SRC_AS(float, log_p)[p.at[2] + c * of.class_stride];
        }
        value += of.smoothing / (float)of.classes * sum;
      }
    }
    DST_AS(float, loss)[p.at[0]] = 0.0f - value;
    DST_AS(float, share)[p.at[1]] = here;
  }
}

// From the sum of the losses to their mean.
KERNEL(nll_mean, DST(loss), SRC(total_weight)) {
  FOR_EACH(i, 1) {
    DST_AS(float, loss)[i] /= SRC_AS(float, total_weight)[i];
  }
}

// dlog_p = -share * dloss, divided by total_weight where `by_total` says so. Operands of the nest,
// which has log_p's dims: dlog_p, dloss, labels.
KERNEL(nll_backward, Nest nest, Labels of, DST(dlog_p), SRC(dloss), SRC(labels), SRC(total_weight),
       SRC(weight)) {
  const float divisor = of.by_total ? SRC_AS(float, total_weight)[0] : 1.0f;
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 3);
    const i64 label = SRC_AS(i64, labels)[p.at[2]];
    const i64 row = quotient(i, of.places), c = row - quotient(row, of.classes) * of.classes;
    float gradient = 0.0f;
    if (label_counts(label, of) && (c == label || of.smoothing > 0.0f)) {
      const float hot = c == label ? 1.0f - of.smoothing : 0.0f;
      const float share = (hot + of.smoothing / (float)of.classes) * WEIGHT_OF(c);
      gradient = -share * (SRC_AS(float, dloss)[p.at[1]] / divisor);
    }
    DST_AS(float, dlog_p)[p.at[0]] = gradient;
  }
}

#undef WEIGHT_OF
