// conv2d for CPUs, and the gradient of its input: a worker takes an image's planes into its cache
// and sums blocks of output channels and positions in registers.
#include "planes.h"

// Filters in panels of BLOCK_ROWS output channels: [group][panel][input][tap][row], 0 past the end.
// `flipped`: the last tap comes first.
KERNEL(pack_filters, Convolution c, i64 output_step, i64 input_step, i32 flipped, DST(filters),
       SRC(weight)) {
  const i64 panels = (c.outputs + BLOCK_ROWS - 1) / BLOCK_ROWS;
  const i64 taps = (i64)c.taps[0] * c.taps[1];
  FOR_EACH(i, c.groups * panels) {
    const i64 group = i / panels, first = i % panels * BLOCK_ROWS;
    GLOBAL float* dst = DST_AS(float, filters) + i * c.inputs * taps * BLOCK_ROWS;
    GLOBAL const float* src = SRC_AS(float, weight) + group * c.outputs * c.inputs * taps;
    for (i64 input = 0; input < c.inputs; ++input) {
      for (i64 tap = 0; tap < taps; ++tap) {
        const i64 at = input * input_step + (flipped ? taps - 1 - tap : tap);
        for (i64 r = 0; r < BLOCK_ROWS; ++r) {
          const i64 output = first + r;
          *dst++ = output < c.outputs ? src[at + output * output_step] : 0.0f;
        }
      }
    }
  }
}

#define BEGIN(r) ROW_SUMS(r, start[r]);
#define ADVANCE(r) ADD_PRODUCTS(r, filter[r], first, second, third)
#define KEEP(r) STORE_SUMS(r, block + r * BLOCK_COLUMNS)

// The sums of a panel's channels at BLOCK_COLUMNS positions of the grid.
FN void sum_block(float* block, const float* start, GLOBAL const float* filter,
                  GLOBAL const float* planes, i64 inputs, i64 plane, GLOBAL const i32* places,
                  i64 taps) {
  FOR_BLOCK_ROWS(BEGIN)
  for (i64 input = 0; input < inputs; ++input, planes += plane) {
    for (i64 tap = 0; tap < taps; ++tap, filter += BLOCK_ROWS) {
      GLOBAL const float* x = planes + places[tap];
      const Vector first = LOAD(x), second = LOAD(x + LANES), third = LOAD(x + 2 * LANES);
      FOR_BLOCK_ROWS(ADVANCE)
    }
  }
  FOR_BLOCK_ROWS(KEEP)
}

// Positions of the grid that are outputs, from the block to y.
FN void put_sums(const Convolution* c, GLOBAL float* y, const float* block, i64 rows,
                 i64 position) {
  i64 oh = position / c->grid[1], ow = position % c->grid[1];
  for (i64 at = 0; at < BLOCK_COLUMNS && oh < c->out[0]; ++oh, ow = 0) {
    const i64 count = SMALLER(c->grid[1] - ow, BLOCK_COLUMNS - at);
    const i64 outputs = SMALLER(c->out[1] - ow, count);
    for (i64 r = 0; r < rows; ++r) {
      GLOBAL float* dst =
          y + r * c->out_strides[1] + oh * c->out_strides[2] + ow * c->out_strides[3];
      const float* sums = block + r * BLOCK_COLUMNS + at;
      if (c->out_strides[3] == 1) {
        for (i64 i = 0; i < outputs; ++i) dst[i] = sums[i];
      } else {
        for (i64 i = 0; i < outputs; ++i) dst[i * c->out_strides[3]] = sums[i];
      }
    }
    at += count;
  }
}

// As put_sums for all positions, term by term as the definition has them: an infinite or NaN filter
// times a 0 that isn't input would be a NaN that nobody may see.
FN void put_exactly(const Convolution* c, GLOBAL float* y, const float* start,
                    GLOBAL const float* filter, GLOBAL const float* x, i64 rows) {
  const i64 taps = (i64)c->taps[0] * c->taps[1], width = c->inputs * taps;
  for (i64 i = 0; i < rows * c->out[0] * c->out[1]; ++i) {
    const i64 r = i % rows, oh = i / rows / c->out[1], ow = i / rows % c->out[1];
    float sum = start[r];
    for (i64 tap = 0; tap < width; ++tap) {
      GLOBAL const float* input =
          input_under(c, x + tap / taps * c->in_strides[1], oh, ow, tap % taps);
      if (input != 0) sum = fma(filter[tap * BLOCK_ROWS + r], *input, sum);
    }
    y[r * c->out_strides[1] + oh * c->out_strides[2] + ow * c->out_strides[3]] = sum;
  }
}

// One panel of output channels of an image; `x` and `y` are where its group and they begin.
FN void put_panel(const Convolution* c, GLOBAL float* y, const float* start,
                  GLOBAL const float* filter, GLOBAL const float* x, GLOBAL const float* planes,
                  GLOBAL const i32* places, i64 rows) {
  float block[BLOCK_ROWS * BLOCK_COLUMNS];
  const i64 taps = (i64)c->taps[0] * c->taps[1];
  const i64 positions = (c->out[0] - 1) * c->grid[1] + c->out[1];
  if (!all_finite(filter, c->inputs * taps * BLOCK_ROWS)) {
    put_exactly(c, y, start, filter, x, rows);
    return;
  }
  for (i64 position = 0; position < positions; position += BLOCK_COLUMNS) {
    sum_block(block, start, filter, planes + position, c->inputs, plane_size(c), places, taps);
    put_sums(c, y, block, rows, position);
  }
}

// An item is one part of the output channels of one group of one image. The scratch memory of a
// worker is `scratch_floats` long: places of taps, then planes.
KERNEL(conv2d_blocked, Convolution c, i64 parts, i64 scratch_floats, DST(y), SRC(x), SRC(filters),
       SRC(bias), i64 bias_step, i32 has_bias, DST(scratch)) {
  float start[BLOCK_ROWS];
  const i64 taps = (i64)c.taps[0] * c.taps[1];
  const i64 panels = (c.outputs + BLOCK_ROWS - 1) / BLOCK_ROWS;
  const i64 each = (panels + parts - 1) / parts;
  GLOBAL float* own = DST_AS(float, scratch) + GROUP_ID * scratch_floats;
  GLOBAL i32* places = (GLOBAL i32*)own;
  GLOBAL float* planes = own + (taps + LANES - 1) / LANES * LANES;
  list_taps(&c, places);
  for (i64 item = GROUP_ID; item < c.images * c.groups * parts; item += GROUP_COUNT) {
    const i64 part = item % parts, group = item / parts % c.groups;
    const i64 image = item / parts / c.groups, last = SMALLER((part + 1) * each, panels);
    GLOBAL const float* input =
        SRC_AS(float, x) + image * c.in_strides[0] + group * c.inputs * c.in_strides[1];
    copy_planes(&c, planes, input);
    for (i64 panel = part * each; panel < last; ++panel) {
      const i64 output = panel * BLOCK_ROWS, channel = group * c.outputs + output;
      const i64 rows = SMALLER(c.outputs - output, BLOCK_ROWS);
      for (i64 r = 0; r < BLOCK_ROWS; ++r) {
        start[r] = has_bias && r < rows ? SRC_AS(float, bias)[(channel + r) * bias_step] : 0.0f;
      }
      put_panel(&c, DST_AS(float, y) + image * c.out_strides[0] + channel * c.out_strides[1], start,
                SRC_AS(float, filters) + (group * panels + panel) * c.inputs * taps * BLOCK_ROWS,
                input, planes, places, rows);
    }
  }
}
