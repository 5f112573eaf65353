// max_pool2d and its gradient for CPUs: row by row, so that what is the same for a row is found
// once.
#ifndef BACKPLANE_KERNELS_OPENCL_MAX_POOL2D_ROWS_H
#define BACKPLANE_KERNELS_OPENCL_MAX_POOL2D_ROWS_H

#include "../lines.h"

// From one element of a row to the next.
FN i64 row_step(const Nest* nest, i32 operand) {
  return nest->dense ? 1 : nest->strides[operand][nest->rank - 1];
}

KERNEL(max_pool2d, Nest nest, Window window, DST(y), DST(winners), SRC(x), i32 keeps_winners,
       i32 wide) {
  const i64 y_step = row_step(&nest, 0), winner_step = row_step(&nest, 1);
  FOR_EACH(row, nest.count / LARGER(window.out[1], 1)) {
    const Places p = locate(&nest, row * window.out[1], 3);
    GLOBAL const float* plane = SRC_AS(float, x) + p.at[2];
    const i64 top = row % window.out[0] * window.stride[0] - window.padding[0];
    for (i64 ow = 0; ow < window.out[1]; ++ow) {
      const Best best = best_of(&window, plane, top, ow * window.stride[1] - window.padding[1], 0.0f);
      const i64 at = p.at[1] + ow * winner_step;
      DST_AS(float, y)[p.at[0] + ow * y_step] = best.value;
      if (keeps_winners && wide) DST_AS(u16, winners)[at] = (u16)best.tap;
      if (keeps_winners && !wide) DST_AS(u8, winners)[at] = (u8)best.tap;
    }
  }
}

// What one row of windows gives to a row of dx through the row `kh` of their taps.
FN void add_winners(const Window* w, GLOBAL float* dx, i64 step, GLOBAL const float* dy,
                    GLOBAL const char* winners, i64 at, i32 kh, i32 wide) {
  for (i64 ow = 0; ow < w->out[1]; ++ow) {
    const i32 winner =
        wide ? ((GLOBAL const u16*)winners)[at + ow] : ((GLOBAL const u8*)winners)[at + ow];
    const i32 kw = winner - kh * w->taps[1];
    if (kw < 0 || kw >= w->taps[1]) continue;
    const i64 iw = ow * w->stride[1] - w->padding[1] + (i64)kw * w->dilation[1];
    dx[iw * step] += dy[at + ow];
  }
}

KERNEL(max_pool2d_backward, Nest nest, Window window, DST(dx), SRC(dy), SRC(winners), i32 wide) {
  const i64 step = row_step(&nest, 0);
  FOR_EACH(row, nest.count / LARGER(window.in[1], 1)) {
    const i64 plane = row / window.in[0], ih = row % window.in[0];
    GLOBAL float* dst = DST_AS(float, dx) + locate(&nest, row * window.in[1], 1).at[0];
    for (i64 iw = 0; iw < window.in[1]; ++iw) dst[iw * step] = 0.0f;
    for (i32 kh = 0; kh < window.taps[0]; ++kh) {
      const i64 top = ih + window.padding[0] - (i64)kh * window.dilation[0];
      if (top < 0 || top % window.stride[0] != 0) continue;
      const i64 oh = top / window.stride[0];
      if (oh >= window.out[0]) continue;
      add_winners(&window, dst, step, SRC_AS(float, dy), SRC_AT(winners),
                  (plane * window.out[0] + oh) * window.out[1], kh, wide);
    }
  }
}

#endif
