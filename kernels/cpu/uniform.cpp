// uniform: whole vectors of Philox blocks, turned into floats.
#include "cpu/uniform.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/uniform.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

void uniform_f32(const PhiloxStream& stream, std::int64_t first, std::int64_t count, float low,
                 float range, float* dst) {
  HWY_ALIGN std::uint32_t words[philox_piece];
  for (std::int64_t at = 0; at < count; at += philox_piece) {
    philox_words(stream, static_cast<std::uint32_t>((first + at) / 4), words);
    const std::int64_t here = std::min(philox_piece, count - at);
    for (std::int64_t i = 0; i < here; ++i) {
      const float fraction =
          static_cast<float>(static_cast<std::int32_t>(words[i] >> 8)) * 0x1p-24f;
      dst[at + i] = std::fma(fraction, range, low);
    }
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(uniform_f32);

void uniform(const PhiloxStream& stream, std::int64_t first, std::int64_t count, float low,
             float range, float* dst) {
  HWY_DYNAMIC_DISPATCH(uniform_f32)(stream, first, count, low, range, dst);
}

}  // namespace backplane::cpu
#endif
