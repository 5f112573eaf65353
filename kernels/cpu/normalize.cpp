// normalize: a table has the same bits as two divisions and costs one load.
#include "cpu/normalize.h"

namespace backplane::cpu {
namespace {

template <class With>
void normalize_with(Plane plane, const With& with, Strided<const std::uint8_t> src,
                    Strided<float> dst) {
  for (std::int64_t row = 0; row < plane.rows; ++row) {
    const std::uint8_t* s = src.data + row * src.row_stride;
    float* d = dst.data + row * dst.row_stride;
    for (std::int64_t i = 0; i < plane.count; ++i) d[i * dst.stride] = with(s[i * src.stride]);
  }
}

}  // namespace

float Normalization::operator()(std::uint8_t x) const {
  return static_cast<float>((x / 255.0 - static_cast<double>(mean)) /
                            static_cast<double>(deviation));
}

NormalizationTable::NormalizationTable(const Normalization& of) {
  for (int x = 0; x < 256; ++x) value[x] = of(static_cast<std::uint8_t>(x));
}

void normalize(Plane plane, const Normalization& with, Strided<const std::uint8_t> src,
               Strided<float> dst) {
  normalize_with(plane, with, src, dst);
}

void normalize(Plane plane, const NormalizationTable& with, Strided<const std::uint8_t> src,
               Strided<float> dst) {
  normalize_with(plane, with, src, dst);
}

}  // namespace backplane::cpu
