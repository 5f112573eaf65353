// The gradient of a convolution's weight for CPUs: planes of the input and of dy lie on one grid,
// and a register block sums products of three taps with BLOCK_ROWS channels, vector by vector.
#include "planes.h"

#define BLOCK_TAPS 3

// dy on the grid of the planes: `outputs` channels rounded up to BLOCK_ROWS, each `pitch` floats; 0
// wherever there is no output.
FN void copy_gradients(const Convolution* c, GLOBAL float* dst, GLOBAL const float* src,
                       i64 pitch) {
  const i64 channels = (c->outputs + BLOCK_ROWS - 1) / BLOCK_ROWS * BLOCK_ROWS;
  for (i64 channel = 0; channel < channels; ++channel, dst += pitch) {
    for (i64 i = 0; i < pitch; ++i) dst[i] = 0.0f;
    for (i64 oh = 0; oh < c->out[0] && channel < c->outputs; ++oh) {
      GLOBAL const float* row = src + channel * c->out_strides[1] + oh * c->out_strides[2];
      for (i64 ow = 0; ow < c->out[1]; ++ow) {
        dst[oh * c->grid[1] + ow] = row[ow * c->out_strides[3]];
      }
    }
  }
}

#define BEGIN(r) ROW_SUMS(r, 0.0f);
#define ADVANCE(r) ADD_PRODUCTS(r, LOAD(dy + r * pitch + i), first, second, third)
#define ADD_VECTOR(value, p) STORE(LOAD(p) + value, p);
#define KEEP(r)                                         \
  ADD_VECTOR(s##r##a, sums + r * BLOCK_COLUMNS)         \
  ADD_VECTOR(s##r##b, sums + r * BLOCK_COLUMNS + LANES) \
  ADD_VECTOR(s##r##c, sums + r * BLOCK_COLUMNS + 2 * LANES)

// Adds products along a plane to the sums of BLOCK_ROWS channels with three taps.
FN void add_block(GLOBAL float* sums, GLOBAL const float* dy, i64 pitch, GLOBAL const float* a,
                  GLOBAL const float* b, GLOBAL const float* c) {
  FOR_BLOCK_ROWS(BEGIN)
  for (i64 i = 0; i < pitch; i += LANES) {
    const Vector first = LOAD(a + i), second = LOAD(b + i), third = LOAD(c + i);
    FOR_BLOCK_ROWS(ADVANCE)
  }
  FOR_BLOCK_ROWS(KEEP)
}

// Where the tap with this number, counted over inputs and taps, begins; the last one for those past
// the end, whose sums nobody reads.
FN GLOBAL const float* tap_at(const Convolution* c, GLOBAL const float* planes,
                              GLOBAL const i32* places, i64 number) {
  const i64 taps = (i64)c->taps[0] * c->taps[1], last = c->inputs * taps - 1;
  const i64 at = SMALLER(number, last);
  return planes + at / taps * plane_size(c) + places[at % taps];
}

// A worker's scratch memory, `scratch_floats` long: sums [group][panel][taps / 3][row][3][lane],
// places of taps, planes, gradients.
KERNEL(conv2d_weight_blocked, Convolution c, i64 scratch_floats, SRC(x), SRC(dy), DST(scratch)) {
  const i64 taps = (i64)c.taps[0] * c.taps[1];
  const i64 panels = (c.outputs + BLOCK_ROWS - 1) / BLOCK_ROWS;
  const i64 blocks = (c.inputs * taps + BLOCK_TAPS - 1) / BLOCK_TAPS;
  const i64 pitch = ((c.out[0] - 1) * c.grid[1] + c.out[1] + LANES - 1) / LANES * LANES;
  const i64 block_floats = BLOCK_ROWS * BLOCK_COLUMNS;
  const i64 sum_floats = c.groups * panels * blocks * block_floats;
  GLOBAL float* sums = DST_AS(float, scratch) + GROUP_ID * scratch_floats;
  GLOBAL i32* places = (GLOBAL i32*)(sums + sum_floats);
  GLOBAL float* planes = sums + sum_floats + (taps + LANES - 1) / LANES * LANES;
  GLOBAL float* gradients = planes + c.inputs * plane_size(&c) + BLOCK_COLUMNS;
  for (i64 i = 0; i < sum_floats; ++i) sums[i] = 0.0f;
  list_taps(&c, places);
  for (i64 item = GROUP_ID; item < c.images * c.groups; item += GROUP_COUNT) {
    const i64 image = item / c.groups, group = item % c.groups;
    copy_planes(&c, planes,
                SRC_AS(float, x) + image * c.in_strides[0] + group * c.inputs * c.in_strides[1]);
    copy_gradients(
        &c, gradients,
        SRC_AS(float, dy) + image * c.out_strides[0] + group * c.outputs * c.out_strides[1], pitch);
    GLOBAL float* to = sums + group * panels * blocks * block_floats;
    for (i64 panel = 0; panel < panels; ++panel) {
      for (i64 block = 0; block < blocks; ++block, to += block_floats) {
        const i64 tap = block * BLOCK_TAPS;
        add_block(to, gradients + panel * BLOCK_ROWS * pitch, pitch,
                  tap_at(&c, planes, places, tap), tap_at(&c, planes, places, tap + 1),
                  tap_at(&c, planes, places, tap + 2));
      }
    }
  }
}

// dweight from the sums of all workers, in their order; `c` has its strides in place of dy's.
KERNEL(conv2d_weight_sum, Convolution c, i64 workers, i64 scratch_floats, DST(dweight),
       SRC(scratch), i32 adds) {
  const i64 taps = (i64)c.taps[0] * c.taps[1], width = c.inputs * taps;
  const i64 panels = (c.outputs + BLOCK_ROWS - 1) / BLOCK_ROWS;
  const i64 blocks = (width + BLOCK_TAPS - 1) / BLOCK_TAPS;
  FOR_EACH(i, c.groups * c.outputs * width) {
    const i64 channel = i / width, number = i % width, tap = number % taps;
    const i64 group = channel / c.outputs, output = channel % c.outputs;
    const i64 block = (group * panels + output / BLOCK_ROWS) * blocks + number / BLOCK_TAPS;
    const i64 at =
        (block * BLOCK_ROWS + output % BLOCK_ROWS) * BLOCK_COLUMNS + number % BLOCK_TAPS * LANES;
    Vector sum = 0.0f;
    for (i64 worker = 0; worker < workers; ++worker) {
      sum += LOAD(SRC_AS(float, scratch) + worker * scratch_floats + at);
    }
    float lanes[LANES], total = 0.0f;
    STORE(sum, lanes);
    for (i32 lane = 0; lane < LANES; ++lane) total += lanes[lane];
    GLOBAL float* dst = DST_AS(float, dweight) + channel * c.out_strides[0] +
                        number / taps * c.out_strides[1] + tap / c.taps[1] * c.out_strides[2] +
                        tap % c.taps[1] * c.out_strides[3];
    *dst = adds ? *dst + total : total;
  }
}
