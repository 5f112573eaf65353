// Losses of pairs of elements and their gradients: mse, l1, huber, bce_with_logits, kl_div. `kind`
// is a PAIR_ of arguments.h, `delta` belongs to huber.
#include "nest.h"

FN float pair_loss_of(float x, float target, i32 kind, float delta) {
  const float difference = x - target, distance = fabs(difference);
  switch (kind) {
    case PAIR_MSE:
      return difference * difference;
    case PAIR_L1:
      return distance;
    case PAIR_HUBER:
      return distance <= delta ? 0.5f * distance * distance : delta * (distance - 0.5f * delta);
    case PAIR_BCE_WITH_LOGITS:
      return (x < 0.0f ? 0.0f : x) - x * target + log1p(exp(-fabs(x)));
    case PAIR_KL_DIV:
      return target * ((target == 0.0f ? 0.0f : log(target)) - x);
    default:
      return exp(target) * (target - x);
  }
}

// The derivative by x.
FN float pair_loss_slope(float x, float target, i32 kind, float delta) {
  const float difference = x - target;
  const float e = exp(-fabs(x)), large = 1.0f / (1.0f + e);
  switch (kind) {
    case PAIR_MSE:
      return 2.0f * difference;
    case PAIR_L1:
      return difference > 0.0f    ? 1.0f
             : difference < 0.0f  ? -1.0f
             : difference == 0.0f ? 0.0f
                                  : difference;
    case PAIR_HUBER:
      return difference > delta ? delta : difference < -delta ? -delta : difference;
    case PAIR_BCE_WITH_LOGITS:
      return (x < 0.0f ? e * large : large) - target;
    case PAIR_KL_DIV:
      return -target;
    default:
      return -exp(target);
  }
}

// One loss for each element. Operands of the nest: loss, x, target.
KERNEL(pair_loss, Nest nest, DST(loss), SRC(x), SRC(target), i32 kind, float delta) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 3);
    DST_AS(float, loss)
    [p.at[0]] =
        pair_loss_of(SRC_AS(float, x)[p.at[1]], SRC_AS(float, target)[p.at[2]], kind, delta);
  }
}

// dx = slope * dloss / divisor. Operands of the nest: dx, dloss, x, target.
KERNEL(pair_loss_backward, Nest nest, DST(dx), SRC(dloss), SRC(x), SRC(target), i32 kind,
       float delta, float divisor) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 4);
    const float slope =
        pair_loss_slope(SRC_AS(float, x)[p.at[2]], SRC_AS(float, target)[p.at[3]], kind, delta);
    DST_AS(float, dx)[p.at[0]] = slope * (SRC_AS(float, dloss)[p.at[1]] / divisor);
  }
}
