// Many tensors in one launch: their addresses come with the kernel's arguments.
#ifndef BACKPLANE_KERNELS_CUDA_BATCH_H
#define BACKPLANE_KERNELS_CUDA_BATCH_H

#include "../arguments.h"

// As many as fit, with the scalars, into the 4 KB of arguments that every card takes.
#define BATCH_TENSORS 64

// `lists` are the operands of each tensor: parameter, gradient and what a step keeps, or others.
typedef struct Batch {
  char* lists[5][BATCH_TENSORS];
  i64 counts[BATCH_TENSORS];
} Batch;

#endif
