// What the host hands to the kernels of this folder beside the structs of all cards.
#ifndef BACKPLANE_KERNELS_OPENCL_ARGUMENTS_H
#define BACKPLANE_KERNELS_OPENCL_ARGUMENTS_H

#include "../arguments.h"

// Distances in elements: between rows, columns, and matrices of a batch.
typedef struct Steps {
  i64 row, column, batch;
} Steps;

// y[rows, columns] = a[rows, inner] * b[inner, columns], `batch` times.
typedef struct ProductShape {
  i64 rows, columns, inner, batch;
  Steps y, a, b;
} ProductShape;

// A convolution as one sees it from an output position: position o and tap k meet the input at
// o * step + k * dilation + first, in an input with gap - 1 zeros between its rows and columns.
// Forward, step is the stride; for the gradient of the input, gap is. Channels are those of a
// group; strides: sample, channel, row, column.
//
// A worker copies the planes that it needs into scratch memory with all that isn't input as 0, cut
// into phases, so that the outputs of a tap lie side by side. `grid` is the rows and columns of one
// phase; output position o lies at o.row * grid.columns + o.column in it.
typedef struct Convolution {
  i64 images, groups, inputs, outputs;
  i64 in[2], in_strides[4], out[2], out_strides[4], grid[2];
  i32 taps[2], step[2], dilation[2], gap[2], first[2], phases[2];
} Convolution;

#endif
