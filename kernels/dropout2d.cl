// dropout2d: each channel of each sample stays, scaled, or becomes +0. Operands of the nest: y, x.
#include "nest.h"
#include "philox.h"

// A group takes one channel at a time: one draw for all its elements. `scale` is as for dropout.
KERNEL(dropout2d, Nest nest, Draw draw, DST(y), SRC(x), i64 samples, i64 channels, i64 plane_size,
       float p, double scale) {
  for (i64 plane = GROUP_ID; plane < samples * channels; plane += GROUP_COUNT) {
    const i64 sample = quotient(plane, channels), channel = plane - sample * channels;
    const Words words = philox_block(draw, (u64)(channel / 4), (u32)sample);
    const i32 kept = philox_uniform(words.word[channel % 4]) >= p;
    for (i64 i = LOCAL_ID; i < plane_size; i += GROUP) {
      const Places at = locate(&nest, plane * plane_size + i, 2);
      const float value = (float)((double)SRC_AS(float, x)[at.at[1]] * scale);
      DST_AS(float, y)[at.at[0]] = kept ? value : 0.0f;
    }
  }
}
