// An image that direct convolutions read: padded, and with the columns of a stride pulled apart, so
// that neighbouring outputs read neighbouring elements.
#if defined(BACKPLANE_CPU_DIRECT_IMAGE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_DIRECT_IMAGE_INL_H
#undef BACKPLANE_CPU_DIRECT_IMAGE_INL_H
#else
#define BACKPLANE_CPU_DIRECT_IMAGE_INL_H
#endif

#include <algorithm>

#include "cpu/conv_shape.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

constexpr int row_lanes =
    static_cast<int>(hwy::HWY_NAMESPACE::MaxLanes(hwy::HWY_NAMESPACE::ScalableTag<float>()));

// [channels][rows][phase of the stride][columns]: column x of the padded image is number x / stride
// of phase x % stride.
class DirectImage {
 public:
  explicit DirectImage(const ConvShape& shape)
      : shape_(shape),
        rows_((shape.out_height() - 1) * shape.stride[0] +
              shape.dilation[0] * (shape.kernel[0] - 1) + 1),
        columns_(std::max<std::int64_t>(shape.out_width(), row_lanes) +
                 shape.dilation[1] * (shape.kernel[1] - 1) / shape.stride[1] + 1) {}

  [[nodiscard]] std::int64_t floats() const { return shape_.channels * channel_floats(); }
  [[nodiscard]] std::int64_t channel_floats() const { return rows_ * shape_.stride[1] * columns_; }

  // From what output (0, 0) reads at tap (0, 0) of a group's first channel.
  [[nodiscard]] std::int64_t tap_offset(std::int64_t channel, std::int64_t row,
                                        std::int64_t column) const {
    const std::int64_t x = column * shape_.dilation[1];
    return channel * channel_floats() +
           (row * shape_.dilation[0] * shape_.stride[1] + x % shape_.stride[1]) * columns_ +
           x / shape_.stride[1];
  }
  // To what output (row, column) reads there.
  [[nodiscard]] HWY_INLINE std::int64_t position_offset(std::int64_t row,
                                                        std::int64_t column) const {
    return row * shape_.stride[0] * shape_.stride[1] * columns_ + column;
  }

  // `zeros` were written by a call of the same shape before: only the image changes.
  HWY_INLINE void fill(const float* src, bool zeros, float* image) const {
    if (!zeros) std::fill_n(image, floats(), 0.0f);
    const std::int64_t top = shape_.padding[0], left = shape_.padding[1];
    const std::int64_t end = std::min(shape_.height, rows_ - top);
    for (std::int64_t channel = 0; channel < shape_.channels; ++channel) {
      for (std::int64_t row = 0; row < end; ++row) {
        const float* from = src + (channel * shape_.height + row) * shape_.width;
        fill_row(from, left,
                 image + channel * channel_floats() + (row + top) * shape_.stride[1] * columns_);
      }
    }
  }

 private:
  HWY_INLINE void fill_row(const float* from, std::int64_t left, float* to) const {
    const std::int64_t stride = shape_.stride[1];
    const std::int64_t count = std::min(shape_.width, columns_ * stride - left);
    if (stride == 1) {
      std::copy_n(from, std::max<std::int64_t>(count, 0), to + left);
      return;
    }
    for (std::int64_t phase = 0; phase < stride; ++phase, to += columns_) {
      // The first column of the phase that isn't padding.
      const std::int64_t first = phase < left ? (left - phase + stride - 1) / stride : 0;
      const float* column = from + phase + first * stride - left;
      for (std::int64_t i = first; column < from + count; ++i, column += stride) to[i] = *column;
    }
  }

  const ConvShape& shape_;
  std::int64_t rows_, columns_;
};

// Offsets of all taps of a group, for the loops that run over them.
HWY_INLINE void list_taps(const ConvShape& shape, const DirectImage& image, std::int64_t* offsets) {
  for (std::int64_t channel = 0; channel < shape.channels / shape.groups; ++channel) {
    for (std::int64_t row = 0; row < shape.kernel[0]; ++row) {
      for (std::int64_t column = 0; column < shape.kernel[1]; ++column) {
        *offsets++ = image.tap_offset(channel, row, column);
      }
    }
  }
}

// The vectors that cover a row of outputs: the last one overlaps the one before, if the row is long
// enough for that.
struct RowVectors {
  explicit RowVectors(std::int64_t width_)
      : width(width_), count((width + row_lanes - 1) / row_lanes) {}
  [[nodiscard]] HWY_INLINE std::int64_t column(std::int64_t vector) const {
    return std::min(vector * row_lanes, std::max<std::int64_t>(width - row_lanes, 0));
  }
  [[nodiscard]] bool fill() const { return width >= row_lanes; }

  std::int64_t width, count;
};

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
