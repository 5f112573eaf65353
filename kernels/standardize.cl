// standardize and its gradient, along lines over any axes.
#include "lines.h"

// Operands of the lines: y, x, mean, variance; of their elements: y, x.
KERNEL(standardize, Nest lines, Nest line_elements, DST(y), DST(mean), DST(variance), SRC(x),
       float epsilon, i32 lanes) {
  SHARED(float, scratch, GROUP);
  FOR_EACH_LINE(line, lines.count, lanes) {
    const Places first = locate(&lines, line, 4);
    const i64 length = LENGTH_OF(line, lines.count, line_elements.count);
    float sum = 0.0f, squares = 0.0f;
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      sum += SRC_AS(float, x)[first.at[1] + locate(&line_elements, i, 2).at[1]];
    }
    const float line_mean = tree_sum(scratch, lanes, sum) / (float)length;
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      const float value = SRC_AS(float, x)[first.at[1] + locate(&line_elements, i, 2).at[1]];
      squares += (value - line_mean) * (value - line_mean);
    }
    const float line_variance = tree_sum(scratch, lanes, squares) / (float)length;
    const float deviation = sqrt(line_variance + epsilon);
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      const Places p = locate(&line_elements, i, 2);
      const float value = SRC_AS(float, x)[first.at[1] + p.at[1]];
      DST_AS(float, y)[first.at[0] + p.at[0]] = (value - line_mean) / deviation;
    }
    if (LANE(lanes) == 0 && line < lines.count) {
      DST_AS(float, mean)[first.at[2]] = line_mean;
      DST_AS(float, variance)[first.at[3]] = line_variance;
    }
  }
}

// dx = (dy - mean(dy) - y * mean(dy * y)) / sqrt(variance + epsilon). Operands of the lines: dx, dy,
// y, variance; of their elements: dx, dy, y.
KERNEL(standardize_backward, Nest lines, Nest line_elements, DST(dx), SRC(dy), SRC(y),
       SRC(variance), float epsilon, i32 lanes) {
  SHARED(float, scratch, GROUP);
  FOR_EACH_LINE(line, lines.count, lanes) {
    const Places first = locate(&lines, line, 4);
    const i64 length = LENGTH_OF(line, lines.count, line_elements.count);
    float sum = 0.0f, products = 0.0f;
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      const Places p = locate(&line_elements, i, 3);
      const float gradient = SRC_AS(float, dy)[first.at[1] + p.at[1]];
      sum += gradient;
      products += gradient * SRC_AS(float, y)[first.at[2] + p.at[2]];
    }
    const float mean = tree_sum(scratch, lanes, sum) / (float)length;
    const float product = tree_sum(scratch, lanes, products) / (float)length;
    // A line past the end has no element, in the variance neither.
    const float deviation = length > 0 ? sqrt(SRC_AS(float, variance)[first.at[3]] + epsilon) : 1.0f;
    FOR_EACH_IN_LINE(i, 0, length, lanes) {
      const Places p = locate(&line_elements, i, 3);
      const float gradient = SRC_AS(float, dy)[first.at[1] + p.at[1]];
      const float value = SRC_AS(float, y)[first.at[2] + p.at[2]];
      DST_AS(float, dx)[first.at[0] + p.at[0]] = (gradient - mean - value * product) / deviation;
    }
  }
}
