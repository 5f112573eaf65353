// mse and its gradient: the squared distance from a target.
#include "nest.h"

// One loss for each element. Operands of the nest: loss, x, target.
KERNEL(mse, Nest nest, DST(loss), SRC(x), SRC(target)) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 3);
    const float difference = SRC_AS(float, x)[p.at[1]] - SRC_AS(float, target)[p.at[2]];
    DST_AS(float, loss)[p.at[0]] = difference * difference;
  }
}

// dx = 2 * (x - target) * dloss / divisor. Operands of the nest: dx, dloss, x, target.
KERNEL(mse_backward, Nest nest, DST(dx), SRC(dloss), SRC(x), SRC(target), float divisor) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 4);
    const float difference = SRC_AS(float, x)[p.at[2]] - SRC_AS(float, target)[p.at[3]];
    const float gradient = SRC_AS(float, dloss)[p.at[1]] / divisor;
    DST_AS(float, dx)[p.at[0]] = 2.0f * difference * gradient;
  }
}
