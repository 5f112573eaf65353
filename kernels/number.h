// Elements whose type is known at run time, and the rules by which copy converts between types.
#ifndef BACKPLANE_KERNELS_NUMBER_H
#define BACKPLANE_KERNELS_NUMBER_H

#include "dialect.h"

// f16 and bf16 are read and written by their bits: not every device has the types.
FN float half_to_float(u32 bits) {
  const u32 magnitude = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
  u32 wide = (magnitude << 13) + (112u << 23);
  if (magnitude < 0x0400u) wide = FLOAT_BITS((float)magnitude * 0x1p-24f);  // a subnormal
  if (magnitude >= 0x7c00u) wide |= 0x7f800000u;                            // infinite or NaN
  return BITS_FLOAT(wide | sign);
}

FN float bfloat_to_float(u32 bits) {
  return BITS_FLOAT(bits << 16);
}

// To the nearest, ties to even.
FN u32 float_to_half(float value) {
  const u32 bits = FLOAT_BITS(value), sign = bits >> 16 & 0x8000u;
  u32 magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and beyond
  if (magnitude < 0x38800000u) {
    // Beside 0.5 a float has the spacing of f16's subnormals, so the addition rounds.
    return sign | (FLOAT_BITS(BITS_FLOAT(magnitude) + 0.5f) - 0x3f000000u);
  }
  magnitude += 0x0fffu + (magnitude >> 13 & 1u);
  return sign | (magnitude - (112u << 23)) >> 13;
}

FN u32 float_to_bfloat(float value) {
  const u32 bits = FLOAT_BITS(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return bits >> 16 | 0x40u;
  return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
}

// Rounds to odd: what is dropped stays visible in the last bit, so that a second rounding, to a
// narrower type, gives what one rounding would.
FN float double_to_odd_float(double value) {
  const float nearest = (float)value;
  const double back = (double)nearest;
  u32 bits = FLOAT_BITS(nearest);
  if (back == value || value != value) return nearest;
  if (fabs(back) > fabs(value)) --bits;
  return BITS_FLOAT(bits | 1u);
}

FN double integer_to_odd_double(i64 value) {
  const i64 exact = (i64)1 << 53;
  if (-exact <= value && value <= exact) return (double)value;
  return (double)(value >> 10 | ((value & 1023) != 0)) * 1024.0;
}

// Truncates towards zero and saturates; NaN gives 0.
FN i64 saturate(double value, double low, double high, i64 lowest, i64 highest) {
  if (value != value) return 0;
  if (value <= low) return lowest;
  if (value >= high) return highest;
  return (i64)value;
}

FN i64 double_to_integer(double value, i32 dtype) {
  const i64 least = -0x7fffffffffffffff - 1;
  switch (dtype) {
    case I8:
      return saturate(value, -0x1p7, 0x1p7 - 1, -128, 127);
    case U8:
      return saturate(value, 0, 0x1p8 - 1, 0, 255);
    case U16:
      return saturate(value, 0, 0x1p16 - 1, 0, 65535);
    case I32:
      return saturate(value, -0x1p31, 0x1p31 - 1, -0x7fffffff - 1, 0x7fffffff);
    default:
      return saturate(value, -0x1p63, 0x1p63, least, 0x7fffffffffffffff);
  }
}

FN i32 is_integer(i32 dtype) {
  return dtype >= I8;
}

// Of f32, f16 and bf16: what arithmetic on floats reads and writes.
FN float load_float(GLOBAL const char* src, i64 index, i32 dtype) {
  if (dtype == F32) return ((GLOBAL const float*)src)[index];
  const u32 bits = ((GLOBAL const u16*)src)[index];
  return dtype == F16 ? half_to_float(bits) : bfloat_to_float(bits);
}

FN void store_float(GLOBAL char* dst, i64 index, i32 dtype, float value) {
  if (dtype == F32) {
    ((GLOBAL float*)dst)[index] = value;
  } else {
    ((GLOBAL u16*)dst)[index] = (u16)(dtype == F16 ? float_to_half(value) : float_to_bfloat(value));
  }
}

FN i64 load_integer(GLOBAL const char* src, i64 index, i32 dtype) {
  switch (dtype) {
    case I8:
      return ((GLOBAL const i8*)src)[index];
    case U8:
      return ((GLOBAL const u8*)src)[index];
    case U16:
      return ((GLOBAL const u16*)src)[index];
    case I32:
      return ((GLOBAL const i32*)src)[index];
    default:
      return ((GLOBAL const i64*)src)[index];
  }
}

// Wraps.
FN void store_integer(GLOBAL char* dst, i64 index, i32 dtype, i64 value) {
  switch (dtype) {
    case I8:
    case U8:
      ((GLOBAL u8*)dst)[index] = (u8)value;
      break;
    case U16:
      ((GLOBAL u16*)dst)[index] = (u16)value;
      break;
    case I32:
      ((GLOBAL i32*)dst)[index] = (i32)value;
      break;
    default:
      ((GLOBAL i64*)dst)[index] = value;
  }
}

// From any floating type.
FN double load_double(GLOBAL const char* src, i64 index, i32 dtype) {
  if (dtype == F64) return ((GLOBAL const double*)src)[index];
  return (double)load_float(src, index, dtype);
}

// To any type, rounded once.
FN void store_double(GLOBAL char* dst, i64 index, i32 dtype, double value) {
  if (dtype == F32) {
    ((GLOBAL float*)dst)[index] = (float)value;
  } else if (dtype == F64) {
    ((GLOBAL double*)dst)[index] = value;
  } else if (is_integer(dtype)) {
    store_integer(dst, index, dtype, double_to_integer(value, dtype));
  } else {
    store_float(dst, index, dtype, double_to_odd_float(value));
  }
}

// An integer to any type.
FN void store_converted(GLOBAL char* dst, i64 index, i32 dtype, i64 value) {
  if (is_integer(dtype)) {
    store_integer(dst, index, dtype, value);
  } else if (dtype == F32) {
    ((GLOBAL float*)dst)[index] = (float)value;
  } else {
    store_double(dst, index, dtype, integer_to_odd_double(value));
  }
}

#endif
