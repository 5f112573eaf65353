// A matrix product for GPUs: a group keeps tiles of both factors in local memory, and each
// work-item sums four by four elements in registers.
#include "../dialect.h"
#include "arguments.h"

#define DEPTH 16
#define EACH 4
#define WIDE (GROUP < 16 ? GROUP : 16)
#define TALL (GROUP / WIDE)
#define TILE_ROWS (EACH * TALL)
#define TILE_COLUMNS (EACH * WIDE)
// From one depth to the next: odd, so that neighbours along it don't meet in one bank of memory.
#define PITCH(lines) ((lines) + 1)
#define TILE_FLOATS(lines) (DEPTH * PITCH(lines))

// Lines of a factor and DEPTH elements of each; what lies outside is 0. Neighbouring work-items
// read along whichever axis is dense.
FN void load_tile(LOCAL float* tile, i32 lines, GLOBAL const float* x, i64 line_step,
                  i64 inner_step, i64 line_count, i64 inner_count) {
  for (i32 i = LOCAL_ID; i < lines * DEPTH; i += GROUP) {
    const i32 line = inner_step == 1 ? i / DEPTH : i % lines;
    const i32 k = inner_step == 1 ? i % DEPTH : i / lines;
    const i32 inside = line < line_count && k < inner_count;
    tile[k * PITCH(lines) + line] = inside ? x[line * line_step + k * inner_step] : 0.0f;
  }
}

KERNEL(product_tiled, ProductShape s, DST(y), SRC(a), SRC(b), i32 adds) {
  SHARED(float, rows, TILE_FLOATS(TILE_ROWS));
  SHARED(float, columns, TILE_FLOATS(TILE_COLUMNS));
  const i64 down = (s.rows + TILE_ROWS - 1) / TILE_ROWS;
  const i64 across = (s.columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  const i32 row = LOCAL_ID / WIDE, column = LOCAL_ID % WIDE;
  for (i64 tile = GROUP_ID; tile < s.batch * down * across; tile += GROUP_COUNT) {
    const i64 matrix = tile / (down * across), place = tile - matrix * down * across;
    const i64 top = place / across * TILE_ROWS, left = place % across * TILE_COLUMNS;
    GLOBAL const float* left_factor = SRC_AS(float, a) + matrix * s.a.batch + top * s.a.row;
    GLOBAL const float* right_factor = SRC_AS(float, b) + matrix * s.b.batch + left * s.b.column;
    float sums[EACH][EACH];
    for (i32 i = 0; i < EACH * EACH; ++i) sums[i / EACH][i % EACH] = 0.0f;
    for (i64 k = 0; k < s.inner; k += DEPTH) {
      load_tile(rows, TILE_ROWS, left_factor + k * s.a.column, s.a.row, s.a.column, s.rows - top,
                s.inner - k);
      load_tile(columns, TILE_COLUMNS, right_factor + k * s.b.row, s.b.column, s.b.row,
                s.columns - left, s.inner - k);
      BARRIER();
      for (i32 d = 0; d < DEPTH; ++d) {
        for (i32 i = 0; i < EACH; ++i) {
          const float factor = rows[d * PITCH(TILE_ROWS) + row + i * TALL];
          for (i32 j = 0; j < EACH; ++j) {
            sums[i][j] =
                fma(factor, columns[d * PITCH(TILE_COLUMNS) + column + j * WIDE], sums[i][j]);
          }
        }
      }
      BARRIER();
    }
    for (i32 i = 0; i < EACH; ++i) {
      for (i32 j = 0; j < EACH; ++j) {
        const i64 r = top + row + i * TALL, c = left + column + j * WIDE;
        if (r >= s.rows || c >= s.columns) continue;
        GLOBAL float* at = DST_AS(float, y) + matrix * s.y.batch + r * s.y.row + c * s.y.column;
        *at = adds ? *at + sums[i][j] : sums[i][j];
      }
    }
  }
}
