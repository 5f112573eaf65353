// Images made smaller or larger: avg_pool2d, adaptive_avg_pool2d and interpolate, with their
// gradients, as weighted sums along rows and columns.
#include "nest.h"

// Of one output along one axis: elements [begin, begin + count) of x; the first one's weight, and
// that of each other.
typedef struct Taps {
  i64 begin, count;
  float first, other;
} Taps;

FN Taps taps_of(const Resample* r, i32 axis, i64 output) {
  const i64 unit = r->unit[axis], in = r->in[axis];
  i64 at = r->step[axis] * output + r->offset[axis];
  Taps taps = {0, 1, 1.0f, 0.0f};
  if (r->kind == RESAMPLE_WINDOWS) {
    const i64 padded_end =
        at + r->window[axis] < r->padded_end[axis] ? at + r->window[axis] : r->padded_end[axis];
    const i64 end = padded_end < in ? padded_end : in;
    taps.begin = at > 0 ? at : 0;
    taps.count = end > taps.begin ? end - taps.begin : 0;
    taps.first = 1.0f / (float)(r->count_include_pad ? padded_end - at : taps.count);
    taps.other = taps.first;
  } else if (r->kind == RESAMPLE_PARTS) {
    taps.begin = at / unit;
    taps.count = (at + r->step[axis] + unit - 1) / unit - taps.begin;
    taps.first = 1.0f / (float)taps.count;
    taps.other = taps.first;
  } else {
    if (at < 0) at = 0;
    taps.begin = at / unit;
    const i64 rest = at - taps.begin * unit;
    if (r->kind == RESAMPLE_LINEAR && taps.begin >= in - 1) {
      taps.begin = in - 1;
    } else if (r->kind == RESAMPLE_LINEAR && rest > 0) {
      taps.count = 2;
      taps.first = (float)(unit - rest) / (float)unit;
      taps.other = (float)rest / (float)unit;
    }
  }
  return taps;
}

FN float weight_of(const Taps* taps, i64 at) {
  if (at < taps->begin || at >= taps->begin + taps->count) return 0.0f;
  return at == taps->begin ? taps->first : taps->other;
}

// Outputs [begin, end) along one axis, which hold all that element `at` of x has a weight in.
typedef struct Outputs {
  i64 begin, end;
} Outputs;

FN Outputs outputs_of(const Resample* r, i32 axis, i64 at) {
  const i64 step = r->step[axis], unit = r->unit[axis], out = r->out[axis];
  Outputs outputs = {0, out};
  i64 before, last;  // an output at `before` / step, or less, is too early
  if (r->kind == RESAMPLE_WINDOWS) {
    before = at - r->window[axis] - r->offset[axis];
    last = at - r->offset[axis];
  } else if (r->kind == RESAMPLE_PARTS) {
    before = at * unit - step;
    last = (at + 1) * unit - 1;
  } else {
    if (step == 0) return outputs;
    before = (at - 1) * unit - r->offset[axis];
    last = (at + 1) * unit - r->offset[axis] - 1;
    if (at == 0) before = -1;
    if (at == r->in[axis] - 1) last = step * out;
  }
  if (before >= 0) outputs.begin = before / step + 1;
  if (last < 0) outputs.end = 0;
  if (last >= 0 && last / step + 1 < out) outputs.end = last / step + 1;
  return outputs;
}

// The nest has dims N, C, OH, OW; its operands: y, and the start of x's plane.
KERNEL(resample, Nest nest, Resample r, DST(y), SRC(x)) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 2);
    const i64 row = quotient(i, r.out[1]);
    const Taps rows = taps_of(&r, 0, row - quotient(row, r.out[0]) * r.out[0]);
    const Taps columns = taps_of(&r, 1, i - row * r.out[1]);
    float total = 0.0f;
    for (i64 kh = 0; kh < rows.count; ++kh) {
      const i64 line = p.at[1] + (rows.begin + kh) * r.strides[0];
      float sum = 0.0f;
      for (i64 kw = 0; kw < columns.count; ++kw) {
        const float value = SRC_AS(float, x)[line + (columns.begin + kw) * r.strides[1]];
        sum += value * (kw == 0 ? columns.first : columns.other);
      }
      total += sum * (kh == 0 ? rows.first : rows.other);
    }
    DST_AS(float, y)[p.at[0]] = total;
  }
}

// Each dx gathers from the outputs that it has a weight in, in a fixed order. The nest has dims N,
// C, H, W; its operands: dx, and the start of dy's plane.
KERNEL(resample_backward, Nest nest, Resample r, DST(dx), SRC(dy)) {
  FOR_EACH(i, nest.count) {
    const Places p = locate(&nest, i, 2);
    const i64 row = quotient(i, r.in[1]);
    const i64 ih = row - quotient(row, r.in[0]) * r.in[0], iw = i - row * r.in[1];
    const Outputs rows = outputs_of(&r, 0, ih), columns = outputs_of(&r, 1, iw);
    float total = 0.0f;
    for (i64 oh = rows.begin; oh < rows.end; ++oh) {
      const Taps row_taps = taps_of(&r, 0, oh);
      const float row_weight = weight_of(&row_taps, ih);
      if (row_weight == 0.0f) continue;
      float sum = 0.0f;
      for (i64 ow = columns.begin; ow < columns.end; ++ow) {
        const Taps column_taps = taps_of(&r, 1, ow);
        const float weight = weight_of(&column_taps, iw);
        if (weight == 0.0f) continue;
        sum += weight * SRC_AS(float, dy)[p.at[1] + oh * r.strides[0] + ow * r.strides[1]];
      }
      total += row_weight * sum;
    }
    DST_AS(float, dx)[p.at[0]] = total;
  }
}
