// normalize: bytes of an image to numbers around 0, channel by channel, in double and rounded once.
// Operands of the nest: y, x, mean, deviation.
#include "nest.h"

KERNEL(normalize, Nest nest, DST(y), SRC(x), SRC(mean), SRC(deviation)) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 4);
    const double value = (double)SRC_AS(u8, x)[p.at[1]] / 255.0;
    const double shifted = value - (double)SRC_AS(float, mean)[p.at[2]];
    DST_AS(float, y)[p.at[0]] = (float)(shifted / (double)SRC_AS(float, deviation)[p.at[3]]);
  }
}
