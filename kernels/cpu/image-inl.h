// Going over an image's pixels and rows; included once for each instruction set.
#if defined(BACKPLANE_CPU_IMAGE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_IMAGE_INL_H
#undef BACKPLANE_CPU_IMAGE_INL_H
#else
#define BACKPLANE_CPU_IMAGE_INL_H
#endif

#include <algorithm>

#include "cpu/image.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE T* pixel(const Image<T>& image, std::int64_t row, std::int64_t column) {
  return image.data + row * image.row_stride + column * image.column_stride;
}

// From there on: the rest of all rows above `first_row`, and all of the others.
HWY_INLINE void fill_zeros(const Image<float>& image, std::int64_t channels, std::int64_t first_row,
                           std::int64_t first_column) {
  for (std::int64_t row = 0; row < image.height; ++row) {
    const std::int64_t from = row < first_row ? first_column : 0;
    if (image.column_stride == channels) {
      std::fill_n(pixel(image, row, from), (image.width - from) * channels, 0.0f);
      continue;
    }
    for (std::int64_t column = from; column < image.width; ++column) {
      std::fill_n(image.data + row * image.row_stride + column * image.column_stride, channels,
                  0.0f);
    }
  }
}

// Calls body(tag, position) so that vectors cover [begin, end): as wide as the machine's while they
// fit, then narrow ones.
template <class D, class Body>
HWY_INLINE std::int64_t cover(D d, std::int64_t begin, std::int64_t end, const Body& body) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; begin + lanes <= end; begin += lanes) body(d, begin);
  return begin;
}
template <class Body>
HWY_INLINE void cover(std::int64_t begin, std::int64_t end, const Body& body) {
  begin = cover(hn::ScalableTag<float>(), begin, end, body);
  begin = cover(hn::CappedTag<float, 4>(), begin, end, body);
  cover(hn::CappedTag<float, 1>(), begin, end, body);
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
