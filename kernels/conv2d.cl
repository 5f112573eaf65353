// conv2d as a matrix product: im2col lays out what each output position sees, col2im is its
// adjoint.
//
// Columns are row-major [N, C * KH * KW, OH * OW]; padding reads as 0, which has the same bits in
// every floating type.
#include "nest.h"

KERNEL(im2col, Window window, i64 images, i64 channels, DST(columns), SRC(x), i32 element_bytes) {
  const i64 positions = window.out[0] * window.out[1];
  const i64 taps = (i64)window.taps[0] * window.taps[1];
  FOR_EACH(i, images * channels * taps * positions) {
    const i64 line = quotient(i, positions), position = i - line * positions;
    const i64 plane = quotient(line, taps), tap = line - plane * taps;
    const i64 image = quotient(plane, channels), channel = plane - image * channels;
    const i64 oh = quotient(position, window.out[1]), ow = position - oh * window.out[1];
    const i64 kh = quotient(tap, window.taps[1]), kw = tap - kh * window.taps[1];
    const i64 ih = oh * window.stride[0] - window.padding[0] + kh * window.dilation[0];
    const i64 iw = ow * window.stride[1] - window.padding[1] + kw * window.dilation[1];
    const i64 at = image * window.in_strides[0] + channel * window.in_strides[1] +
                   ih * window.in_strides[2] + iw * window.in_strides[3];
    const i32 inside = 0 <= ih && ih < window.in[0] && 0 <= iw && iw < window.in[1];
    if (element_bytes == 2) {
      DST_AS(u16, columns)[i] = inside ? SRC_AS(u16, x)[at] : (u16)0;
    } else {
      DST_AS(u32, columns)[i] = inside ? SRC_AS(u32, x)[at] : 0u;
    }
  }
}

// Each element gathers its taps in a fixed order.
KERNEL(col2im, Window window, i64 images, i64 channels, DST(dx), SRC(columns)) {
  const i64 positions = window.out[0] * window.out[1];
  const i64 taps = (i64)window.taps[0] * window.taps[1];
  FOR_EACH(i, images * channels * window.in[0] * window.in[1]) {
    const i64 row = quotient(i, window.in[1]), plane = quotient(row, window.in[0]);
    const i64 ih = row - plane * window.in[0], iw = i - row * window.in[1];
    const i64 image = quotient(plane, channels), channel = plane - image * channels;
    float sum = 0.0f;
    for (i32 kh = 0; kh < window.taps[0]; ++kh) {
      const i64 top = ih + window.padding[0] - (i64)kh * window.dilation[0];
      const i64 oh = top / window.stride[0];
      if (top < 0 || oh * window.stride[0] != top || oh >= window.out[0]) continue;
      for (i32 kw = 0; kw < window.taps[1]; ++kw) {
        const i64 left = iw + window.padding[1] - (i64)kw * window.dilation[1];
        const i64 ow = left / window.stride[1];
        if (left < 0 || ow * window.stride[1] != left || ow >= window.out[1]) continue;
        const i64 line = plane * taps + kh * window.taps[1] + kw;
        sum += SRC_AS(float, columns)[line * positions + oh * window.out[1] + ow];
      }
    }
    DST_AS(float, dx)
    [image * window.in_strides[0] + channel * window.in_strides[1] + ih * window.in_strides[2] +
     iw * window.in_strides[3]] = sum;
  }
}
