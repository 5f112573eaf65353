// What the host hands to kernels: plain structs, laid out alike in OpenCL C, CUDA C++ and host C++.
//
// No pointers, no size_t, no bool: OpenCL C passes none of them by value.
#ifndef BACKPLANE_KERNELS_ARGUMENTS_H
#define BACKPLANE_KERNELS_ARGUMENTS_H

#if defined(__OPENCL_C_VERSION__)
typedef char i8;
typedef uchar u8;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
#else
typedef signed char i8;
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
#endif

// Work-items of a group; a device that takes fewer is compiled for a smaller power of two.
#ifndef GROUP
#define GROUP 256
#endif

#define MAX_RANK 8
#define MAX_OPERANDS 5

// Element types, numbered as bp_dtype is.
#define F32 1
#define F64 2
#define F16 3
#define BF16 4
#define I8 5
#define U8 6
#define I32 7
#define I64 8
#define U16 9

// What comparison.cl compares by, and fold.cl combines by.
#define RELATION_EQUAL 0
#define RELATION_NOT_EQUAL 1
#define RELATION_LESS 2
#define RELATION_LESS_EQUAL 3
#define RELATION_AND 4
#define RELATION_OR 5
#define RELATION_XOR 6
// What a fused operation ends with: the numbers of op::Activation.
#define ACTIVATION_NONE 0
#define ACTIVATION_RELU 1
#define ACTIVATION_SIGMOID 2
#define ACTIVATION_TANH 3
#define FOLD_PROD 0
#define FOLD_MAX 1
#define FOLD_MIN 2

// The elements of up to five operands of equal dims, numbered in row-major order. Strides count
// elements, 0 repeats one. Where `dense` is set, element i lies at i in each operand.
typedef struct Nest {
  i64 count;
  i64 dims[MAX_RANK];
  i64 strides[MAX_OPERANDS][MAX_RANK];
  i32 rank, dense;
} Nest;

// Where a draw of random numbers starts; see philox.h.
typedef struct Draw {
  u32 seed_low, seed_high, site, step, first_sample;
} Draw;

// A window that slides over planes. Strides of the input: sample, channel, row, column.
typedef struct Window {
  i64 in[2], out[2], in_strides[4];
  i32 taps[2], stride[2], padding[2], dilation[2];
} Window;

// Losses of pairs of elements, as one kernel tells them apart.
#define PAIR_MSE 0
#define PAIR_L1 1
#define PAIR_HUBER 2
#define PAIR_BCE_WITH_LOGITS 3
#define PAIR_KL_DIV 4
#define PAIR_KL_DIV_OF_LOGS 5

// What labels mean. Labels out of range don't count, so -1 in `ignored` is none. `places` are the
// elements of the axes after the classes; the strides are those of log_p and of the classes'
// weights.
typedef struct Labels {
  i64 classes, places, ignored, class_stride, weight_stride;
  float smoothing;
  i32 weighted, by_total;
} Labels;

// How images are made larger or smaller, by rows and by columns: every output is a weighted sum of
// neighbours in the input, from (step * output + offset) / unit on; resample.cl says which.
#define RESAMPLE_WINDOWS 0
#define RESAMPLE_PARTS 1
#define RESAMPLE_NEAREST 2
#define RESAMPLE_LINEAR 3
typedef struct Resample {
  i64 in[2], out[2], step[2], offset[2], unit[2];
  i64 window[2], padded_end[2];  // of windows: their size, and where the padding behind x ends
  i64 strides[2];                // of the image that is read: rows, columns
  i32 kind, count_include_pad;
} Resample;

// A queue's error record. `code` is a bp_fault; the first fault is kept until the host clears it.
typedef struct Fault {
  u64 sequence;
  i64 index, value, limit;
  u32 code, reserved;
} Fault;

typedef struct SgdScalars {
  float rate, momentum, dampening, weight_decay;
  i32 first, has_momentum, nesterov;
} SgdScalars;

typedef struct AdamScalars {
  float rate, beta1, beta2, epsilon, weight_decay, correction1, correction2;
  i32 decoupled;
} AdamScalars;

// Into how many pieces the squares of so many elements are cut, each with a sum of its own: by the
// number alone, so that the sum has the same bits each time.
#define SQUARE_CHUNKS(count) ((count) > 256 * 4096 ? 256 : ((count) + 4095) / 4096)

typedef struct RmspropScalars {
  float rate, alpha, epsilon, weight_decay, momentum;
  i32 centered, has_momentum;
} RmspropScalars;

#endif
