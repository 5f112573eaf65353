// The gradient of a convolution's weight for CPUs: planes of the input and of dy lie on one grid,
// and a register block sums products of three taps with BLOCK_ROWS channels, vector by vector.
#include "planes.h"

#define BLOCK_TAPS 3

FN i64 panels_of(const Convolution* c) {
  return (c->outputs + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

// Blocks of taps, counted over the inputs of a group.
FN i64 blocks_of(const Convolution* c) {
  return (c->inputs * c->taps[0] * c->taps[1] + BLOCK_TAPS - 1) / BLOCK_TAPS;
}

// Where a group keeps the vector of sums for an output channel and a tap.
FN i64 place_of_sum(const Convolution* c, i64 output, i64 tap) {
  const i64 block = output / BLOCK_ROWS * blocks_of(c) + tap / BLOCK_TAPS;
  return (block * BLOCK_ROWS + output % BLOCK_ROWS) * BLOCK_COLUMNS + tap % BLOCK_TAPS * LANES;
}

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

// As all blocks of a group, term by term as the definition has them: where a number isn't finite,
// its product with a 0 of the grid would be a NaN that nobody may see.
FN void add_exactly(const Convolution* c, GLOBAL float* sums, GLOBAL const float* x,
                    GLOBAL const float* dy) {
  const i64 taps = (i64)c->taps[0] * c->taps[1], width = c->inputs * taps;
  for (i64 i = 0; i < c->outputs * width; ++i) {
    const i64 output = i / width, tap = i % width % taps;
    GLOBAL const float* plane = x + i % width / taps * c->in_strides[1];
    GLOBAL const float* gradients = dy + output * c->out_strides[1];
    float sum = 0.0f;
    for (i64 oh = 0; oh < c->out[0]; ++oh) {
      for (i64 ow = 0; ow < c->out[1]; ++ow) {
        GLOBAL const float* input = input_under(c, plane, oh, ow, tap);
        if (input == 0) continue;
        sum = fma(*input, gradients[oh * c->out_strides[2] + ow * c->out_strides[3]], sum);
      }
    }
    sums[place_of_sum(c, output, i % width)] += sum;
  }
}

// Adds the gradients of each channel to the sums for the bias, vector by vector.
FN void add_channels(GLOBAL float* sums, GLOBAL const float* dy, i64 channels, i64 pitch) {
  for (i64 channel = 0; channel < channels; ++channel, sums += LANES) {
    Vector sum = 0.0f;
    for (i64 i = 0; i < pitch; i += LANES) sum += LOAD(dy + channel * pitch + i);
    ADD_VECTOR(sum, sums)
  }
}

// The sums of one group: [panel][taps / 3][row][3][lane], then for the bias [channel][lane].
FN i64 weight_floats(const Convolution* c) {
  return panels_of(c) * blocks_of(c) * BLOCK_ROWS * BLOCK_COLUMNS;
}
FN i64 group_floats(const Convolution* c) {
  return weight_floats(c) + panels_of(c) * BLOCK_ROWS * LANES;
}

// One group of one image; `x` and `dy` are where it begins, `own` is scratch memory behind the
// sums.
FN void add_image(const Convolution* c, GLOBAL float* sums, GLOBAL float* own,
                  GLOBAL const float* x, GLOBAL const float* dy) {
  const i64 taps = (i64)c->taps[0] * c->taps[1];
  const i64 pitch = ((c->out[0] - 1) * c->grid[1] + c->out[1] + LANES - 1) / LANES * LANES;
  GLOBAL const i32* places = (GLOBAL const i32*)own;
  GLOBAL float* planes = own + (taps + LANES - 1) / LANES * LANES;
  GLOBAL float* gradients = planes + c->inputs * plane_size(c) + BLOCK_COLUMNS;
  copy_planes(c, planes, x);
  copy_gradients(c, gradients, dy, pitch);
  add_channels(sums + weight_floats(c), gradients, panels_of(c) * BLOCK_ROWS, pitch);
  if (!all_finite(planes, c->inputs * plane_size(c)) ||
      !all_finite(gradients, panels_of(c) * BLOCK_ROWS * pitch)) {
    add_exactly(c, sums, x, dy);
    return;
  }
  for (i64 panel = 0; panel < panels_of(c); ++panel) {
    for (i64 block = 0; block < blocks_of(c); ++block, sums += BLOCK_ROWS * BLOCK_COLUMNS) {
      const i64 tap = block * BLOCK_TAPS;
      add_block(sums, gradients + panel * BLOCK_ROWS * pitch, pitch, tap_at(c, planes, places, tap),
                tap_at(c, planes, places, tap + 1), tap_at(c, planes, places, tap + 2));
    }
  }
}

// A worker's scratch memory, `scratch_floats` long: the sums of all groups, places of taps, planes,
// gradients.
KERNEL(conv2d_weight_blocked, Convolution c, i64 scratch_floats, SRC(x), SRC(dy), DST(scratch)) {
  GLOBAL float* sums = DST_AS(float, scratch) + GROUP_ID * scratch_floats;
  GLOBAL float* own = sums + c.groups * group_floats(&c);
  for (GLOBAL float* sum = sums; sum < own; ++sum) *sum = 0.0f;
  list_taps(&c, (GLOBAL i32*)own);
  for (i64 item = GROUP_ID; item < c.images * c.groups; item += GROUP_COUNT) {
    const i64 image = item / c.groups, group = item % c.groups;
    add_image(&c, sums + group * group_floats(&c), own,
              SRC_AS(float, x) + image * c.in_strides[0] + group * c.inputs * c.in_strides[1],
              SRC_AS(float, dy) + image * c.out_strides[0] + group * c.outputs * c.out_strides[1]);
  }
}

// The sum of one vector of each worker, in their order.
FN float total_of(GLOBAL const float* sums, i64 workers, i64 scratch_floats) {
  Vector sum = 0.0f;
  for (i64 worker = 0; worker < workers; ++worker) sum += LOAD(sums + worker * scratch_floats);
  float lanes[LANES], total = 0.0f;
  STORE(sum, lanes);
  for (i32 lane = 0; lane < LANES; ++lane) total += lanes[lane];
  return total;
}

// dweight from the sums of all workers; `c` has its strides in place of dy's.
KERNEL(conv2d_weight_sum, Convolution c, i64 workers, i64 scratch_floats, DST(dweight),
       SRC(scratch), i32 adds) {
  const i64 taps = (i64)c.taps[0] * c.taps[1], width = c.inputs * taps;
  FOR_EACH(i, c.groups * c.outputs * width) {
    const i64 channel = i / width, number = i % width, tap = number % taps;
    const i64 at =
        channel / c.outputs * group_floats(&c) + place_of_sum(&c, channel % c.outputs, number);
    const float total = total_of(SRC_AS(float, scratch) + at, workers, scratch_floats);
    GLOBAL float* dst = DST_AS(float, dweight) + channel * c.out_strides[0] +
                        number / taps * c.out_strides[1] + tap / c.taps[1] * c.out_strides[2] +
                        tap % c.taps[1] * c.out_strides[3];
    *dst = adds ? *dst + total : total;
  }
}

KERNEL(conv2d_bias_sum, Convolution c, i64 workers, i64 scratch_floats, DST(dbias), i64 bias_step,
       SRC(scratch), i32 adds) {
  FOR_EACH(channel, c.groups * c.outputs) {
    const i64 at =
        channel / c.outputs * group_floats(&c) + weight_floats(&c) + channel % c.outputs * LANES;
    const float total = total_of(SRC_AS(float, scratch) + at, workers, scratch_floats);
    GLOBAL float* dst = DST_AS(float, dbias) + channel * bias_step;
    *dst = adds ? *dst + total : total;
  }
}
