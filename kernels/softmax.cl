// softmax and its gradient, along lines of any stride.
#include "lines.h"

// Operands of both nests: y, x.
KERNEL(softmax, Nest lines, Nest line_elements, DST(y), SRC(x), i32 lanes) {
  SHARED(float, scratch, GROUP);
  FOR_EACH_LINE(line, lines.count, lanes) {
    const Places first = locate(&lines, line, 2);
    const i64 length = LENGTH_OF(line, lines.count, line_elements.count);
    float max = -INFINITY, sum = 0.0f;
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      const float value = SRC_AS(float, x)[first.at[1] + locate(&line_elements, i, 2).at[1]];
      max = LARGER(value, max);  // a NaN shows in the sum
    }
    max = tree_max(scratch, lanes, max);
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      sum += exp(SRC_AS(float, x)[first.at[1] + locate(&line_elements, i, 2).at[1]] - max);
    }
    sum = tree_sum(scratch, lanes, sum);
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      const Places p = locate(&line_elements, i, 2);
      const float value = SRC_AS(float, x)[first.at[1] + p.at[1]];
      DST_AS(float, y)[first.at[0] + p.at[0]] = exp(value - max) / sum;
    }
  }
}

// dx = y * (dy - sum(dy * y)). Operands of both nests: dx, dy, y.
KERNEL(softmax_backward, Nest lines, Nest line_elements, DST(dx), SRC(dy), SRC(y), i32 lanes) {
  SHARED(float, scratch, GROUP);
  FOR_EACH_LINE(line, lines.count, lanes) {
    const Places first = locate(&lines, line, 3);
    const i64 length = LENGTH_OF(line, lines.count, line_elements.count);
    float sum = 0.0f;
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      const Places p = locate(&line_elements, i, 3);
      sum += SRC_AS(float, dy)[first.at[1] + p.at[1]] * SRC_AS(float, y)[first.at[2] + p.at[2]];
    }
    sum = tree_sum(scratch, lanes, sum);
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      const Places p = locate(&line_elements, i, 3);
      const float gradient = SRC_AS(float, dy)[first.at[1] + p.at[1]];
      const float value = SRC_AS(float, y)[first.at[2] + p.at[2]];
      DST_AS(float, dx)[first.at[0] + p.at[0]] = value * (gradient - sum);
    }
  }
}
