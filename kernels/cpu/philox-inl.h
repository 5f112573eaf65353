// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011) for many blocks at once, in loops that a compiler
// turns into vectors; included once for each instruction set.
#if defined(BACKPLANE_CPU_PHILOX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_PHILOX_INL_H
#undef BACKPLANE_CPU_PHILOX_INL_H
#else
#define BACKPLANE_CPU_PHILOX_INL_H
#endif

#include "cpu/philox.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Two vectors of AVX-512: their products are independent and hide each other's latency.
inline constexpr int philox_lanes = 32;
inline constexpr std::int64_t philox_piece = 4 * philox_lanes;

// The words of elements 4 * first .. 4 * first + philox_piece - 1, in their order.
HWY_INLINE void philox_words(const PhiloxStream& stream, std::uint32_t first,
                             std::uint32_t* HWY_RESTRICT words) {
  HWY_ALIGN std::uint32_t word0[philox_lanes], word1[philox_lanes], word2[philox_lanes],
      word3[philox_lanes];
  for (int i = 0; i < philox_lanes; ++i) {
    word0[i] = first + static_cast<std::uint32_t>(i);
    word1[i] = stream.counter1;
    word2[i] = stream.counter2;
    word3[i] = stream.counter3;
  }
  std::uint32_t key0 = stream.key0, key1 = stream.key1;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < philox_lanes; ++i) {
      const std::uint64_t a = std::uint64_t{0xD2511F53u} * word0[i];
      const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * word2[i];
      word0[i] = static_cast<std::uint32_t>(b >> 32) ^ word1[i] ^ key0;
      word1[i] = static_cast<std::uint32_t>(b);
      word2[i] = static_cast<std::uint32_t>(a >> 32) ^ word3[i] ^ key1;
      word3[i] = static_cast<std::uint32_t>(a);
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  for (int i = 0; i < philox_lanes; ++i) {
    words[4 * i] = word0[i];
    words[4 * i + 1] = word1[i];
    words[4 * i + 2] = word2[i];
    words[4 * i + 3] = word3[i];
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
