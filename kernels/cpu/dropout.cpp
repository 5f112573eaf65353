// dropout and dropout2d: drawing masks, and applying them.
#include "cpu/dropout.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/dropout.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/philox-inl.h"
#include "cpu/plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls use(offset, count, random words of these elements) for pieces of the draw.
template <class Use>
HWY_INLINE void for_each_words(const DropoutDraw& draw, const Use& use) {
  HWY_ALIGN std::uint32_t words[philox_piece];
  for (std::int64_t at = 0; at < draw.count; at += philox_piece) {
    philox_words(draw.stream, static_cast<std::uint32_t>((draw.first + at) / 4), words);
    use(at, std::min(philox_piece, draw.count - at), words);
  }
}

void draw_and_apply(const DropoutDraw& draw, float divisor, const float* src, float* dst) {
  for_each_words(draw,
                 [&](std::int64_t at, std::int64_t count, const std::uint32_t* words) HWY_ATTR {
                   const float* s = src + at;
                   float* d = dst + at;
#pragma GCC ivdep
                   for (std::int64_t i = 0; i < count; ++i) {
                     d[i] = (words[i] >> 8) >= draw.threshold ? s[i] / divisor : 0.0f;
                   }
                 });
}

void draw_mask(const DropoutDraw& draw, std::uint8_t* mask) {
  for_each_words(draw,
                 [&](std::int64_t at, std::int64_t count, const std::uint32_t* words) HWY_ATTR {
                   std::uint8_t* HWY_RESTRICT m = mask + at;
                   for (std::int64_t i = 0; i < count; ++i)
                     m[i] = (words[i] >> 8) >= draw.threshold ? 1 : 0;
                 });
}

struct Keep {
  float divisor;
  HWY_INLINE float operator()(float x, std::uint8_t kept) const {
    return kept != 0 ? x / divisor : 0.0f;
  }
};

// One decision for a whole row: channels of planes.
HWY_INLINE void keep_rows(Plane plane, float divisor, Strided<const float> src,
                          Strided<const std::uint8_t> mask, Strided<float> dst) {
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const float* s = src.data + row * src.row_stride;
    float* d = dst.data + row * dst.row_stride;
    if (mask.data[row * mask.row_stride] == 0) {
      std::fill_n(d, plane.count, 0.0f);
      continue;
    }
#pragma GCC ivdep
    for (std::int64_t i = 0; i < plane.count; ++i) d[i] = s[i] / divisor;
  }
}

// The same decisions for every row: channels side by side. The mask of some columns stays in a
// register while the rows go by. Returns how many columns it did.
HWY_INLINE std::int64_t keep_columns(Plane plane, float divisor, Strided<const float> src,
                                     Strided<const std::uint8_t> mask, Strided<float> dst) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<std::uint8_t, decltype(d)> du;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, divisor);
  std::int64_t i = 0;
  for (; i + lanes <= plane.count; i += lanes) {
    const auto bits = hn::PromoteTo(di, hn::LoadU(du, mask.data + i));
    const auto kept = hn::RebindMask(d, hn::Gt(bits, hn::Zero(di)));
    for (std::int64_t row = 0; row < plane.rows; ++row) {
      const auto x = hn::LoadU(d, src.data + row * src.row_stride + i);
      hn::StoreU(hn::IfThenElseZero(kept, hn::Div(x, by)), d, dst.data + row * dst.row_stride + i);
    }
  }
  return i;
}

void apply_mask_f32(Plane plane, float divisor, Strided<const float> src,
                    Strided<const std::uint8_t> mask, Strided<float> dst) {
  const bool dense = src.stride == 1 && dst.stride == 1;
  if (dense && mask.stride == 0) return keep_rows(plane, divisor, src, mask, dst);
  if (dense && mask.stride == 1 && mask.row_stride == 0) {
    const std::int64_t done = keep_columns(plane, divisor, src, mask, dst);
    plane.count -= done;
    src.data += done;
    mask.data += done;
    dst.data += done;
  }
  map(plane, Keep{divisor}, dst, src, mask);
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(draw_and_apply);
HWY_EXPORT(draw_mask);
HWY_EXPORT(apply_mask_f32);

void dropout(const DropoutDraw& draw, float divisor, const float* src, float* dst) {
  HWY_DYNAMIC_DISPATCH(draw_and_apply)(draw, divisor, src, dst);
}

void dropout_mask(const DropoutDraw& draw, std::uint8_t* mask) {
  HWY_DYNAMIC_DISPATCH(draw_mask)(draw, mask);
}

void apply_mask(Plane plane, float divisor, Strided<const float> src,
                Strided<const std::uint8_t> mask, Strided<float> dst) {
  HWY_DYNAMIC_DISPATCH(apply_mask_f32)(plane, divisor, src, mask, dst);
}

}  // namespace backplane::cpu
#endif
