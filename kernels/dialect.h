// The words in which kernels are written: one text for CUDA C++, OpenCL C 1.2 and host C++.
//
// Kernels are C99 with these macros. Each tensor argument is a pair of a buffer and an offset in
// bytes, since OpenCL has no arithmetic on buffers. Not expressible in all three languages, hence
// not used: templates, overloads, recursion, local memory that isn't declared at the top of a
// kernel, `half` variables, float atomics.
#ifndef BACKPLANE_KERNELS_DIALECT_H
#define BACKPLANE_KERNELS_DIALECT_H

#include "arguments.h"

#if defined(__OPENCL_C_VERSION__)

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// OpenCL C has functions of its own with such names as normalize.
#define KERNEL(name, ...) \
  __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void kernel_##name(__VA_ARGS__)
#define FN static inline
#define GLOBAL __global
#define LOCAL __local
#define SHARED(T, name, count) __local T name[count]
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define LOCAL_ID ((i32)get_local_id(0))
#define GROUP_ID ((i64)get_group_id(0))
#define GROUP_COUNT ((i64)get_num_groups(0))
#define FLOAT_BITS(x) as_uint(x)
#define BITS_FLOAT(x) as_float(x)

#elif defined(__CUDACC__)

#define KERNEL(name, ...) extern "C" __global__ void __launch_bounds__(GROUP) name(__VA_ARGS__)
#define FN static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define SHARED(T, name, count) __shared__ T name[count]
#define BARRIER() __syncthreads()
#define LOCAL_ID ((i32)threadIdx.x)
#define GROUP_ID ((i64)blockIdx.x)
#define GROUP_COUNT ((i64)gridDim.x)
#define FLOAT_BITS(x) __float_as_uint(x)
#define BITS_FLOAT(x) __uint_as_float(x)

#else  // Whoever runs kernels on the host defines the same words in a header of this name.

#include "host_dialect.h"

#endif

#define SRC(name) GLOBAL const char *name, i64 name##_offset
#define DST(name) GLOBAL char *name, i64 name##_offset
#define SRC_AT(name) ((name) + name##_offset)
#define DST_AT(name) ((name) + name##_offset)
#define SRC_AS(T, name) ((GLOBAL const T*)SRC_AT(name))
#define DST_AS(T, name) ((GLOBAL T*)DST_AT(name))

#if GROUP == 1
// A CPU's group is one work-item, which takes a run of neighbours: a loop that becomes vector code.
#define FIRST_OF(count) (GROUP_ID * (((count) + GROUP_COUNT - 1) / GROUP_COUNT))
#define END_OF(count)                                                    \
  (FIRST_OF(count) + ((count) + GROUP_COUNT - 1) / GROUP_COUNT < (count) \
       ? FIRST_OF(count) + ((count) + GROUP_COUNT - 1) / GROUP_COUNT     \
       : (count))
#define FOR_EACH(index, count) \
  for (i64 index = FIRST_OF(count), index##_end = END_OF(count); index < index##_end; ++index)
#else
// Each work-item takes every so-many-th index, so that any number of groups does all the work.
#define FOR_EACH(index, count) \
  for (i64 index = GROUP_ID * GROUP + LOCAL_ID; index < (count); index += GROUP_COUNT * GROUP)
#endif

#endif
