// Register blocks of a CPU: BLOCK_ROWS rows of BLOCK_COLUMNS sums, three vectors to a row, so that
// eleven loads feed 24 multiply-adds.
//
// LANES is what the device's vectors hold: 16 floats, or 8 where it has half the registers as well.
#ifndef BACKPLANE_KERNELS_OPENCL_BLOCKS_H
#define BACKPLANE_KERNELS_OPENCL_BLOCKS_H

#include "../lines.h"

#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
typedef JOIN(float, LANES) Vector;
#define LOAD(p) JOIN(vload, LANES)(0, p)
#define STORE(value, p) JOIN(vstore, LANES)(value, 0, p)

#define BLOCK_COLUMNS (3 * LANES)
#define BLOCK_ROWS (LANES / 2)
#if LANES == 16
#define FOR_BLOCK_ROWS(do) \
  do (0) do(1) do(2) do(3) do(4) do(5) do(6) do(7)
#else
#define FOR_BLOCK_ROWS(do) \
  do (0) do(1) do(2) do(3)
#endif

// A factor is a vector, or a number for all lanes. The sums of a row as three variables, which
// compilers keep in registers where arrays may not stay.
#define ROW_SUMS(r, value) Vector s##r##a = (value), s##r##b = s##r##a, s##r##c = s##r##a
#define ADD_PRODUCTS(r, factor, x, y, z) \
  {                                      \
    const Vector each = factor;          \
    s##r##a = fma(each, x, s##r##a);     \
    s##r##b = fma(each, y, s##r##b);     \
    s##r##c = fma(each, z, s##r##c);     \
  }
#define STORE_SUMS(r, p)       \
  STORE(s##r##a, p);           \
  STORE(s##r##b, (p) + LANES); \
  STORE(s##r##c, (p) + 2 * LANES);

#endif
