// max_pool2d and its gradient, and what follows the sums of conv2d_relu_max_pool.
//
// A winner is a tap's number in its window, row by row; all ones where the window lies wholly in
// the padding. It is stored as u8 or, `wide`, as u16.
#include "nest.h"

typedef struct Best {
  float value;
  i32 tap;
} Best;

// Over the taps of one window, which begins at (top, left) of plane `x`. `bias` is added to each
// element where that isn't 0; then sums that round to the same number are equals.
FN Best best_of(const Window* w, GLOBAL const float* x, i64 top, i64 left, float bias) {
  Best best = {-INFINITY, -1};
  for (i32 kh = 0; kh < w->taps[0]; ++kh) {
    const i64 ih = top + (i64)kh * w->dilation[0];
    if (ih < 0 || ih >= w->in[0]) continue;
    for (i32 kw = 0; kw < w->taps[1]; ++kw) {
      const i64 iw = left + (i64)kw * w->dilation[1];
      if (iw < 0 || iw >= w->in[1]) continue;
      const float element = x[ih * w->in_strides[2] + iw * w->in_strides[3]];
      const float value = bias == 0.0f ? element : element + bias;
      if (best.tap < 0 || value > best.value || (value != value && best.value == best.value)) {
        best.value = value;
        best.tap = kh * w->taps[1] + kw;
      }
    }
  }
  return best;
}

// relu_max_pool2d is max_pool2d of x + bias, each channel then multiplied by its mask. Where
// nothing is above 0 or NaN, and where the mask is 0, y is +0 and there is no winner. The nest has
// dims N, C, OH, OW; its operands: y, winners, the start of x's plane, bias, mask.
#if GROUP == 1
#include "opencl/max_pool2d_rows.h"
#else

// The nest has dims N, C, OH, OW; its operands: y, winners, and the start of x's plane.
KERNEL(max_pool2d, Nest nest, Window window, DST(y), DST(winners), SRC(x), i32 keeps_winners,
       i32 wide) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 3);
    const i64 row = quotient(i, window.out[1]);
    const i64 top =
        (row - quotient(row, window.out[0]) * window.out[0]) * window.stride[0] - window.padding[0];
    const i64 left = (i - row * window.out[1]) * window.stride[1] - window.padding[1];
    const Best best = best_of(&window, SRC_AS(float, x) + p.at[2], top, left, 0.0f);
    DST_AS(float, y)[p.at[0]] = best.value;
    if (!keeps_winners) continue;
    if (wide) {
      DST_AS(u16, winners)[p.at[1]] = (u16)best.tap;
    } else {
      DST_AS(u8, winners)[p.at[1]] = (u8)best.tap;
    }
  }
}

// Each dx gathers from the windows that it may have won, in a fixed order. The nest has dims N, C,
// H, W and the operand dx; dy and winners are row-major.
KERNEL(max_pool2d_backward, Nest nest, Window window, DST(dx), SRC(dy), SRC(winners), i32 wide) {
  FOR_EACH(i, nest.count) {
    const i64 row = quotient(i, window.in[1]), plane = quotient(row, window.in[0]);
    const i64 ih = row - plane * window.in[0], iw = i - row * window.in[1];
    float sum = 0.0f;
    for (i32 kh = 0; kh < window.taps[0]; ++kh) {
      const i64 top = ih + window.padding[0] - (i64)kh * window.dilation[0];
      const i64 oh = top / window.stride[0];
      if (top < 0 || oh * window.stride[0] != top || oh >= window.out[0]) continue;
      for (i32 kw = 0; kw < window.taps[1]; ++kw) {
        const i64 left = iw + window.padding[1] - (i64)kw * window.dilation[1];
        const i64 ow = left / window.stride[1];
        if (left < 0 || ow * window.stride[1] != left || ow >= window.out[1]) continue;
        const i64 at = (plane * window.out[0] + oh) * window.out[1] + ow;
        const i32 winner = wide ? SRC_AS(u16, winners)[at] : SRC_AS(u8, winners)[at];
        if (winner == kh * window.taps[1] + kw) sum += SRC_AS(float, dy)[at];
      }
    }
    DST_AS(float, dx)[locate(&nest, i, 1).at[0]] = sum;
  }
}

KERNEL(relu_max_pool2d, Nest nest, Window window, DST(y), DST(winners), SRC(x), SRC(bias),
       SRC(mask), i32 has_mask) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 5);
    const i64 row = quotient(i, window.out[1]);
    const i64 top =
        (row - quotient(row, window.out[0]) * window.out[0]) * window.stride[0] - window.padding[0];
    const i64 left = (i - row * window.out[1]) * window.stride[1] - window.padding[1];
    const Best best =
        best_of(&window, SRC_AS(float, x) + p.at[2], top, left, SRC_AS(float, bias)[p.at[3]]);
    const float scale = has_mask ? SRC_AS(float, mask)[p.at[4]] : 1.0f;
    const i32 dropped = best.value <= 0.0f || scale == 0.0f;
    DST_AS(float, y)[p.at[0]] = dropped ? 0.0f : best.value * scale;
    DST_AS(u8, winners)[p.at[1]] = dropped ? (u8)255 : (u8)best.tap;
  }
}

#endif
