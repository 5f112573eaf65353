// cross_entropy and its gradient: the negative log-probability of each sample's label.
//
// A label out of range counts as loss 0 and gives a row of zeros; check_range.cl reports it.
#include "lines.h"

// One loss for each sample. Operands of `samples`: loss, logits, log_probabilities, labels; of
// `classes`: the same, with 0 for loss and labels.
KERNEL(cross_entropy, Nest samples, Nest classes, DST(loss), DST(log_probabilities), SRC(logits),
       SRC(labels), i32 keeps_log_probabilities, i32 lanes) {
  SHARED(float, scratch, GROUP);
  FOR_EACH_LINE(sample, samples.count, lanes) {
    const Places first = locate(&samples, sample, 4);
    const i64 count = LENGTH_OF(sample, samples.count, classes.count);
    float max = -INFINITY, sum = 0.0f;
    FOR_EACH_IN_LINE(c, 0, count, lanes) {
      const float value = SRC_AS(float, logits)[first.at[1] + locate(&classes, c, 4).at[1]];
      max = LARGER(value, max);  // a NaN shows in the sum
    }
    max = tree_max(scratch, lanes, max);
    FOR_EACH_IN_LINE(c, 0, count, lanes) {
      sum += exp(SRC_AS(float, logits)[first.at[1] + locate(&classes, c, 4).at[1]] - max);
    }
    const float log_sum = log(tree_sum(scratch, lanes, sum));
    if (keeps_log_probabilities) {
      FOR_EACH_IN_LINE(c, 0, count, lanes) {
        const Places p = locate(&classes, c, 4);
        const float value = SRC_AS(float, logits)[first.at[1] + p.at[1]];
        DST_AS(float, log_probabilities)[first.at[2] + p.at[2]] = value - max - log_sum;
      }
    }
    if (LANE(lanes) == 0 && sample < samples.count) {
      const i64 label = SRC_AS(i64, labels)[first.at[3]];
      float value = 0.0f;
      if (0 <= label && label < classes.count) {
        const i64 at = first.at[1] + locate(&classes, label, 4).at[1];
        value = -(SRC_AS(float, logits)[at] - max - log_sum);
      }
      DST_AS(float, loss)[first.at[0]] = value;
    }
  }
}

// dlogits = (exp(log_p) - one_hot) * dloss / divisor. The nest has dims N, C; its operands:
// dlogits, dloss, log_probabilities, labels.
KERNEL(cross_entropy_backward, Nest nest, DST(dlogits), SRC(dloss), SRC(log_probabilities),
       SRC(labels), i64 classes, float divisor) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 4);
    const i64 label = SRC_AS(i64, labels)[p.at[3]];
    const float hot = i - quotient(i, classes) * classes == label ? 1.0f : 0.0f;
    const float probability = exp(SRC_AS(float, log_probabilities)[p.at[2]]);
    const float gradient = (probability - hot) * (SRC_AS(float, dloss)[p.at[1]] / divisor);
    DST_AS(float, dlogits)[p.at[0]] = 0 <= label && label < classes ? gradient : 0.0f;
  }
}
