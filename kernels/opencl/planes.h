// Planes of an image copied into scratch memory, phase by phase, with all that isn't input as 0.
#ifndef BACKPLANE_KERNELS_OPENCL_PLANES_H
#define BACKPLANE_KERNELS_OPENCL_PLANES_H

#include "arguments.h"
#include "blocks.h"

FN i64 phase_size(const Convolution* c) {
  return c->grid[0] * c->grid[1];
}

FN i64 plane_size(const Convolution* c) {
  return phase_size(c) * c->phases[0] * c->phases[1];
}

// Where each tap of position 0 lies in a plane: numbers at the head of a worker's scratch memory,
// which takes `taps` floats rounded up to a vector.
FN void list_taps(const Convolution* c, GLOBAL i32* places) {
  for (i32 kh = 0; kh < c->taps[0]; ++kh) {
    for (i32 kw = 0; kw < c->taps[1]; ++kw) {
      const i64 row = (i64)kh * c->dilation[0], column = (i64)kw * c->dilation[1];
      const i64 phase = row % c->step[0] * c->phases[1] + column % c->step[1];
      *places++ =
          (i32)(phase * phase_size(c) + row / c->step[0] * c->grid[1] + column / c->step[1]);
    }
  }
}

// The input's row or column that lies `further` behind a place; -1 where there is none.
FN i64 input_at(const Convolution* c, i32 axis, i64 place, i64 further) {
  const i64 at = place * c->step[axis] + further + c->first[axis];
  if (at < 0 || at % c->gap[axis] != 0) return -1;
  return at / c->gap[axis] < c->in[axis] ? at / c->gap[axis] : -1;
}

FN void copy_row(const Convolution* c, GLOBAL float* dst, GLOBAL const float* src, i32 phase) {
  if (c->step[1] != 1 || c->gap[1] != 1) {
    for (i64 i = 0; i < c->grid[1]; ++i) {
      const i64 at = input_at(c, 1, i, phase);
      dst[i] = at < 0 ? 0.0f : src[at * c->in_strides[3]];
    }
    return;
  }
  const i64 head = SMALLER(LARGER(-(i64)c->first[1], 0), c->grid[1]);
  const i64 end = LARGER(SMALLER(c->in[1] - c->first[1], c->grid[1]), head);
  GLOBAL const float* from = src + c->first[1] * c->in_strides[3];
  for (i64 i = 0; i < head; ++i) dst[i] = 0.0f;
  if (c->in_strides[3] == 1) {
    for (i64 i = head; i < end; ++i) dst[i] = from[i];
  } else {
    for (i64 i = head; i < end; ++i) dst[i] = from[i * c->in_strides[3]];
  }
  for (i64 i = end; i < c->grid[1]; ++i) dst[i] = 0.0f;
}

FN void copy_plane(const Convolution* c, GLOBAL float* dst, GLOBAL const float* src) {
  for (i32 ph = 0; ph < c->phases[0]; ++ph) {
    for (i32 pw = 0; pw < c->phases[1]; ++pw) {
      for (i64 r = 0; r < c->grid[0]; ++r, dst += c->grid[1]) {
        const i64 row = input_at(c, 0, r, ph);
        if (row >= 0) {
          copy_row(c, dst, src + row * c->in_strides[2], pw);
        } else {
          for (i64 i = 0; i < c->grid[1]; ++i) dst[i] = 0.0f;
        }
      }
    }
  }
}

// All input planes of a group, and a block of zeros behind them, for vectors reach past the end.
FN void copy_planes(const Convolution* c, GLOBAL float* dst, GLOBAL const float* src) {
  for (i64 channel = 0; channel < c->inputs; ++channel, dst += plane_size(c)) {
    copy_plane(c, dst, src + channel * c->in_strides[1]);
  }
  for (i64 i = 0; i < BLOCK_COLUMNS; ++i) dst[i] = 0.0f;
}

// Whether no number is infinite or NaN.
FN i32 all_finite(GLOBAL const float* x, i64 count) {
  Vector zeros = 0.0f;
  float lanes[LANES], sum = 0.0f;
  i64 i = 0;
  for (; i + LANES <= count; i += LANES) zeros += LOAD(x + i) * 0.0f;
  for (; i < count; ++i) sum += x[i] * 0.0f;
  STORE(zeros, lanes);
  for (i32 lane = 0; lane < LANES; ++lane) sum += lanes[lane];
  return sum == 0.0f;
}

// The input that output position (oh, ow) meets under a tap; null where there is none. This is the
// definition, for images in which a product with a 0 that isn't input would show.
FN GLOBAL const float* input_under(const Convolution* c, GLOBAL const float* plane, i64 oh, i64 ow,
                                   i64 tap) {
  const i64 row = tap / c->taps[1] * c->dilation[0], column = tap % c->taps[1] * c->dilation[1];
  const i64 ih = input_at(c, 0, oh, row), iw = input_at(c, 1, ow, column);
  return ih < 0 || iw < 0 ? 0 : plane + ih * c->in_strides[2] + iw * c->in_strides[3];
}

#endif
