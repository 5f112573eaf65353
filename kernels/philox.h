// The random numbers of every device: Philox4x32-10, as plugin/philox.hpp defines them.
#ifndef BACKPLANE_KERNELS_PHILOX_H
#define BACKPLANE_KERNELS_PHILOX_H

#include "dialect.h"

typedef struct Words {
  u32 word[4];
} Words;

// The four words that elements 4 * block .. 4 * block + 3 of a sample share.
FN Words philox_block(Draw draw, u64 block, u32 sample) {
  u32 c0 = (u32)block, c1 = draw.first_sample + sample, c2 = draw.step;
  u32 c3 = draw.site + ((u32)(block >> 32) << 24);
  u32 key0 = draw.seed_low, key1 = draw.seed_high;
  for (i32 round = 0; round < 10; ++round) {
    const u64 a = (u64)0xD2511F53u * c0, b = (u64)0xCD9E8D57u * c2;
    c0 = (u32)(b >> 32) ^ c1 ^ key0;
    c1 = (u32)b;
    c2 = (u32)(a >> 32) ^ c3 ^ key1;
    c3 = (u32)a;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  Words words;
  words.word[0] = c0;
  words.word[1] = c1;
  words.word[2] = c2;
  words.word[3] = c3;
  return words;
}

// [0, 1) in steps of 2^-24.
FN float philox_uniform(u32 word) {
  return (float)(word >> 8) * 0x1p-24f;
}

// Box and Muller 1958, computed in double.
FN float philox_normal(u32 first, u32 second) {
  const double u = ((double)first + 1.0) * 0x1p-32, v = (double)second * 0x1p-32;
  return (float)(sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v));
}

#endif
