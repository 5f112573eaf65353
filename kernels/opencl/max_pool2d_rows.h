// max_pool2d and its gradient for CPUs: row by row, so that what is the same for a row is found
// once.
#ifndef BACKPLANE_KERNELS_OPENCL_MAX_POOL2D_ROWS_H
#define BACKPLANE_KERNELS_OPENCL_MAX_POOL2D_ROWS_H

#include "../lines.h"

// From one element of a row to the next.
FN i64 row_step(const Nest* nest, i32 operand) {
  return nest->dense ? 1 : nest->strides[operand][nest->rank - 1];
}

// So many neighbours are pooled at once: their taps are vectors.
#define POOL_RUN 4
typedef struct Bests {
  float value[POOL_RUN];
  i32 tap[POOL_RUN];
} Bests;

// The windows of a row that have all of their columns.
typedef struct Whole {
  i64 begin, end;
} Whole;
FN Whole whole_windows(const Window* w) {
  const i64 room = w->in[1] + w->padding[1] - (i64)w->dilation[1] * (w->taps[1] - 1) - 1;
  Whole whole;
  whole.begin = (w->padding[1] + w->stride[1] - 1) / w->stride[1];
  whole.end = room < 0 ? 0 : room / w->stride[1] + 1;
  if (whole.end > w->out[1]) whole.end = w->out[1];
  return whole;
}

FN void keep_larger(Bests* best, i32 i, float value, i32 tap) {
  const float old = best->value[i];
  const i32 larger = best->tap[i] < 0 || value > old || (value != value && old == old);
  best->value[i] = larger ? value : old;
  best->tap[i] = larger ? tap : best->tap[i];
}

// As best_of, for one window, or for a run of whole ones. Zeros have no sign where a bias is added.
FN Bests bests_of(const Window* w, GLOBAL const float* x, i64 top, i64 left, i32 count,
                  i32 has_bias, float bias) {
  Bests best;
  if (count == 1) {
    const Best one = best_of(w, x, top, left, bias);
    best.value[0] = one.value;
    best.tap[0] = one.tap;
    return best;
  }
  for (i32 i = 0; i < POOL_RUN; ++i) best.value[i] = -INFINITY;
  for (i32 i = 0; i < POOL_RUN; ++i) best.tap[i] = -1;
  const i64 step = w->stride[1] * w->in_strides[3];
  for (i32 kh = 0; kh < w->taps[0]; ++kh) {
    const i64 ih = top + (i64)kh * w->dilation[0];
    if (ih < 0 || ih >= w->in[0]) continue;
    for (i32 kw = 0; kw < w->taps[1]; ++kw) {
      const i32 tap = kh * w->taps[1] + kw;
      GLOBAL const float* from =
          x + ih * w->in_strides[2] + (left + (i64)kw * w->dilation[1]) * w->in_strides[3];
      for (i32 i = 0; i < POOL_RUN; ++i) {
        keep_larger(&best, i, has_bias ? from[i * step] + bias : from[i * step], tap);
      }
    }
  }
  return best;
}

KERNEL(max_pool2d, Nest nest, Window window, DST(y), DST(winners), SRC(x), i32 keeps_winners,
       i32 wide) {
  const i64 y_step = row_step(&nest, 0), winner_step = row_step(&nest, 1);
  const Whole whole = whole_windows(&window);
  FOR_EACH(row, nest.count / LARGER(window.out[1], 1)) {
    const Places p = locate(&nest, row * window.out[1], 3);
    GLOBAL const float* plane = SRC_AS(float, x) + p.at[2];
    const i64 top = row % window.out[0] * window.stride[0] - window.padding[0];
    i32 count = 1;
    for (i64 ow = 0; ow < window.out[1]; ow += count) {
      const i64 left = ow * window.stride[1] - window.padding[1];
      count = ow >= whole.begin && ow + POOL_RUN <= whole.end ? POOL_RUN : 1;
      const Bests best = bests_of(&window, plane, top, left, count, 0, 0.0f);
      for (i32 i = 0; i < count; ++i) {
        const i64 at = p.at[1] + (ow + i) * winner_step;
        DST_AS(float, y)[p.at[0] + (ow + i) * y_step] = best.value[i];
        if (keeps_winners && wide) DST_AS(u16, winners)[at] = (u16)best.tap[i];
        if (keeps_winners && !wide) DST_AS(u8, winners)[at] = (u8)best.tap[i];
      }
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

// The same for windows of two columns side by side, as most are: each element is in one of them, so
// that it is written once.
FN void spread_winners(const Window* w, GLOBAL float* dx, GLOBAL const float* dy,
                       GLOBAL const u8* winners, i32 kh) {
  for (i64 ow = 0; ow < w->out[1]; ++ow) {
    const i32 kw = winners[ow] - 2 * kh;
    const float gradient = dy[ow];
    dx[2 * ow] = kw == 0 ? gradient : 0.0f;
    dx[2 * ow + 1] = kw == 1 ? gradient : 0.0f;
  }
}

KERNEL(max_pool2d_backward, Nest nest, Window window, DST(dx), SRC(dy), SRC(winners), i32 wide) {
  const i64 step = row_step(&nest, 0);
  i32 pairs = step == 1 && !wide && window.taps[1] == 2 && window.in[1] == 2 * window.out[1];
  for (i32 axis = 0; axis < 2; ++axis) {
    pairs = pairs && window.padding[axis] == 0 && window.dilation[axis] == 1 &&
            window.stride[axis] == window.taps[axis];
  }
  FOR_EACH(row, nest.count / LARGER(window.in[1], 1)) {
    const i64 plane = row / window.in[0], ih = row % window.in[0];
    GLOBAL float* dst = DST_AS(float, dx) + locate(&nest, row * window.in[1], 1).at[0];
    if (pairs && ih / window.taps[0] < window.out[0]) {
      const i64 oh = ih / window.taps[0], at = (plane * window.out[0] + oh) * window.out[1];
      spread_winners(&window, dst, SRC_AS(float, dy) + at, SRC_AS(u8, winners) + at,
                     (i32)(ih - oh * window.taps[0]));
      continue;
    }
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

KERNEL(relu_max_pool2d, Nest nest, Window window, DST(y), DST(winners), SRC(x), SRC(bias),
       SRC(mask), i32 has_mask) {
  const i64 y_step = row_step(&nest, 0), winner_step = row_step(&nest, 1);
  const Whole whole = whole_windows(&window);
  FOR_EACH(row, nest.count / LARGER(window.out[1], 1)) {
    const Places p = locate(&nest, row * window.out[1], 5);
    GLOBAL const float* plane = SRC_AS(float, x) + p.at[2];
    const float shift = SRC_AS(float, bias)[p.at[3]];
    const float scale = has_mask ? SRC_AS(float, mask)[p.at[4]] : 1.0f;
    const i64 top = row % window.out[0] * window.stride[0] - window.padding[0];
    i32 count = 1;
    for (i64 ow = 0; ow < window.out[1]; ow += count) {
      const i64 left = ow * window.stride[1] - window.padding[1];
      count = ow >= whole.begin && ow + POOL_RUN <= whole.end ? POOL_RUN : 1;
      const Bests best = bests_of(&window, plane, top, left, count, 1, shift);
      for (i32 i = 0; i < count; ++i) {
        const i32 dropped = best.value[i] <= 0.0f || scale == 0.0f;
        DST_AS(float, y)[p.at[0] + (ow + i) * y_step] = dropped ? 0.0f : best.value[i] * scale;
        DST_AS(u8, winners)[p.at[1] + (ow + i) * winner_step] = dropped ? (u8)255 : (u8)best.tap[i];
      }
    }
  }
}

#endif
