// A matrix product for CPUs: both factors are first laid out in panels, which a register block then
// reads from end to end.
#include "arguments.h"
#include "blocks.h"

#define DEPTH 512       // of a panel that stays in the second cache while rows pass
#define PACK_DEPTH 128  // what one work-item lays out
#define CHUNK 8         // row panels that one work-item multiplies

// Panels of `width` lines: [panel][inner][width]; lines past the end are 0.
KERNEL(pack_panels, i64 lines, i64 inner, i64 width, i64 line_step, i64 inner_step, DST(panels),
       SRC(x)) {
  const i64 pieces = (inner + PACK_DEPTH - 1) / PACK_DEPTH;
  FOR_EACH(i, (lines + width - 1) / width * pieces) {
    const i64 panel = i / pieces, first = i % pieces * PACK_DEPTH;
    const i64 last = first + PACK_DEPTH < inner ? first + PACK_DEPTH : inner;
    const i64 count = lines - panel * width < width ? lines - panel * width : width;
    GLOBAL float* dst = DST_AS(float, panels) + panel * width * inner;
    GLOBAL const float* src = SRC_AS(float, x) + panel * width * line_step;
    if (line_step == 1) {
      for (i64 k = first; k < last; ++k) {
        for (i64 line = 0; line < count; ++line) dst[k * width + line] = src[k * inner_step + line];
      }
    } else {
      for (i64 line = 0; line < count; ++line) {
        for (i64 k = first; k < last; ++k) {
          dst[k * width + line] = src[line * line_step + k * inner_step];
        }
      }
    }
    for (i64 line = count; line < width; ++line) {
      for (i64 k = first; k < last; ++k) dst[k * width + line] = 0.0f;
    }
  }
}

#define CLEAR(r) ROW_SUMS(r, 0.0f);
#define ADVANCE(r) ADD_PRODUCTS(r, row[r], first, second, third)
#define KEEP(r) STORE_SUMS(r, block + r * BLOCK_COLUMNS)

// One block of sums over `depth` elements of two panels.
FN void multiply_block(float* block, GLOBAL const float* row, GLOBAL const float* column,
                       i64 depth) {
  FOR_BLOCK_ROWS(CLEAR)
  for (i64 k = 0; k < depth; ++k) {
    const Vector first = LOAD(column), second = LOAD(column + LANES);
    const Vector third = LOAD(column + 2 * LANES);
    FOR_BLOCK_ROWS(ADVANCE)
    row += BLOCK_ROWS;
    column += BLOCK_COLUMNS;
  }
  FOR_BLOCK_ROWS(KEEP)
}

// `rows` and `columns` say how much of the block lies inside y.
FN void put_block(GLOBAL float* y, Steps steps, const float* block, i64 rows, i64 columns,
                  i32 adds) {
  for (i64 r = 0; r < rows; ++r) {
    GLOBAL float* line = y + r * steps.row;
    const float* sums = block + r * BLOCK_COLUMNS;
    if (steps.column == 1 && adds) {
      for (i64 c = 0; c < columns; ++c) line[c] += sums[c];
    } else if (steps.column == 1) {
      for (i64 c = 0; c < columns; ++c) line[c] = sums[c];
    } else {
      for (i64 c = 0; c < columns; ++c) {
        line[c * steps.column] = sums[c] + (adds ? line[c * steps.column] : 0.0f);
      }
    }
  }
}

// The panels are those of one matrix each; a work-item takes one panel of b and CHUNK panels of a.
KERNEL(product_blocked, ProductShape s, DST(y), SRC(a_panels), SRC(b_panels), i32 adds) {
  float block[BLOCK_ROWS * BLOCK_COLUMNS];
  const i64 row_panels = (s.rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
  const i64 column_panels = (s.columns + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
  const i64 chunks = (row_panels + CHUNK - 1) / CHUNK;
  FOR_EACH(i, chunks * column_panels) {
    const i64 chunk = i / column_panels, panel = i % column_panels;
    const i64 last = SMALLER((chunk + 1) * CHUNK, row_panels), left = panel * BLOCK_COLUMNS;
    GLOBAL const float* b = SRC_AS(float, b_panels) + left * s.inner;
    for (i64 k = 0; k < s.inner; k += DEPTH) {
      const i64 depth = SMALLER(s.inner - k, DEPTH);
      for (i64 rows = chunk * CHUNK; rows < last; ++rows) {
        const i64 top = rows * BLOCK_ROWS;
        GLOBAL const float* a = SRC_AS(float, a_panels) + top * s.inner;
        multiply_block(block, a + k * BLOCK_ROWS, b + k * BLOCK_COLUMNS, depth);
        put_block(DST_AS(float, y) + top * s.y.row + left * s.y.column, s.y, block,
                  SMALLER(s.rows - top, BLOCK_ROWS), SMALLER(s.columns - left, BLOCK_COLUMNS),
                  adds || k > 0);
      }
    }
  }
}
