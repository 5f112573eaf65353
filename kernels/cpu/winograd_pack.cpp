// The transform of Winograd's weights: a vector holds as many channels as it has lanes.
#include <algorithm>

#include "cpu/winograd.h"
#include "cpu/winograd_layout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/winograd_pack.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/unroll-inl.h"
#include "cpu/winograd_transforms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

constexpr int channels_at_once = static_cast<int>(hn::MaxLanes(Floats()));
constexpr int tap_count = 9;
using Taps = float[tap_count][channels_at_once];

// Channels [first, first + count) of one output; lanes without a channel become zeros.
HWY_INLINE void load_taps(const WinogradWeight& weight, std::int64_t output, std::int64_t first,
                          std::int64_t count, Taps& taps) {
  const float* from = weight.data + output * weight.output_stride + first * weight.channel_stride;
  if (count < channels_at_once) std::fill_n(taps[0], tap_count * channels_at_once, 0.0f);
  for (std::int64_t c = 0; c < count; ++c, from += weight.channel_stride) {
    if (weight.reversed) {
      for (int tap = 0; tap < tap_count; ++tap) taps[tap][c] = from[tap_count - 1 - tap];
    } else {
      for (int tap = 0; tap < tap_count; ++tap) taps[tap][c] = from[tap];
    }
  }
}

template <class T>
HWY_INLINE void transform_taps(const Taps& taps,
                               float (&u)[T::points][T::points][channels_at_once]) {
  const Floats d;
  HWY_ALIGN float half[3][T::points][channels_at_once];
  for (int column = 0; column < 3; ++column) {
    Vector out[T::points];
    T::weight(hn::Load(d, taps[column]), hn::Load(d, taps[3 + column]),
              hn::Load(d, taps[6 + column]), out);
    unroll<T::points>([&](auto i) HWY_ATTR { hn::Store(out[i], d, half[column][i]); });
  }
  for (int row = 0; row < T::points; ++row) {
    Vector out[T::points];
    T::weight(hn::Load(d, half[0][row]), hn::Load(d, half[1][row]), hn::Load(d, half[2][row]), out);
    unroll<T::points>([&](auto j) HWY_ATTR { hn::Store(out[j], d, u[row][j]); });
  }
}

template <class T>
void pack(const WinogradWeight& weight, std::int64_t begin, std::int64_t end, float* packed) {
  const Floats d;
  constexpr int points = T::points * T::points;
  HWY_ALIGN Taps taps;
  HWY_ALIGN float u[T::points][T::points][channels_at_once];
  const std::int64_t channels = weight.channels, step = winograd_output_step(T::points, channels);
  for (std::int64_t output = begin; output < end; ++output) {
    for (std::int64_t c = 0; c < channels; c += channels_at_once) {
      const std::int64_t count = std::min<std::int64_t>(channels_at_once, channels - c);
      load_taps(weight, output, c, count, taps);
      transform_taps<T>(taps, u);
      float* to = packed + output * step + c;
      for (int point = 0; point < points; ++point, to += channels) {
        const float* from = u[point / T::points][point % T::points];
        if (count == channels_at_once) {
          hn::StoreU(hn::Load(d, from), d, to);
        } else {
          std::copy_n(from, count, to);
        }
      }
    }
  }
}

void pack_4(const WinogradWeight& weight, std::int64_t begin, std::int64_t end, float* packed) {
  pack<TransformsOf4>(weight, begin, end, packed);
}
void pack_6(const WinogradWeight& weight, std::int64_t begin, std::int64_t end, float* packed) {
  pack<TransformsOf6>(weight, begin, end, packed);
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(pack_4);
HWY_EXPORT(pack_6);

WinogradWeight winograd_weight(const float* weight, std::int64_t outputs, std::int64_t channels) {
  return {weight, outputs, channels, channels * 9, 9};
}

WinogradWeight winograd_weight_of_backward_data(const float* weight, std::int64_t outputs,
                                                std::int64_t channels) {
  return {weight, channels, outputs, 9, channels * 9, true};
}

void winograd_pack(WinogradTile tile, const WinogradWeight& weight, std::int64_t begin,
                   std::int64_t end, float* packed) {
  if (tile == WinogradTile::six) {
    HWY_DYNAMIC_DISPATCH(pack_6)(weight, begin, end, packed);
  } else {
    HWY_DYNAMIC_DISPATCH(pack_4)(weight, begin, end, packed);
  }
}

}  // namespace backplane::cpu
#endif
