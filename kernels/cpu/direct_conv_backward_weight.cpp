// The gradient of a direct convolution's weight: lanes are positions, and each tap of each output
// has a vector of sums.
#include "cpu/direct_conv.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/direct_conv_backward_weight.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/direct_image-inl.h"
#include "cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

// Sums in registers at once. Lists of taps and outputs are topped up to whole blocks, with sums
// that nobody reads.
constexpr int taps_at_once = 3;
constexpr int outputs_at_once = vector_registers == 32 ? 8 : 4;

constexpr std::int64_t round_up(std::int64_t count, std::int64_t to) {
  return (count + to - 1) / to * to;
}

struct Sizes {
  explicit Sizes(const ConvShape& shape)
      : taps(shape.channels / shape.groups * shape.kernel[0] * shape.kernel[1]),
        padded_taps(round_up(taps, taps_at_once)),
        group_outputs(shape.outputs / shape.groups),
        padded_outputs(round_up(group_outputs, outputs_at_once)) {}

  std::int64_t taps, padded_taps, group_outputs, padded_outputs;
};

// A block of sums over one plane of positions: from its dy and its source into sum[output][tap].
struct PlaneSums {
  const ConvShape& shape;
  const DirectImage& image;
  const std::int64_t* taps;
  const float* src;
  const float* diff[outputs_at_once];

  HWY_INLINE void add_to(float* const (&sums)[outputs_at_once]) const {
    const Floats d;
    const RowVectors vectors(shape.out_width());
    Vector sum[outputs_at_once][taps_at_once];
    unroll<outputs_at_once>([&](auto g) HWY_ATTR {
      unroll<taps_at_once>([&](auto t)
                               HWY_ATTR { sum[g][t] = hn::Load(d, sums[g] + t * row_lanes); });
    });
    for (std::int64_t row = 0; row < shape.out_height(); ++row) {
      for (std::int64_t v = 0; v < vectors.count; ++v) add(vectors, row, v, sum);
    }
    unroll<outputs_at_once>([&](auto g) HWY_ATTR {
      unroll<taps_at_once>([&](auto t)
                               HWY_ATTR { hn::Store(sum[g][t], d, sums[g] + t * row_lanes); });
    });
  }

  // The last vector of a row may hold positions that another has counted, or that aren't there.
  // Neither factor may be read then: zero times infinity isn't zero. A mask for all vectors costs
  // nothing, and keeps the compiler from reading an operand once for each product.
  HWY_INLINE void add(const RowVectors& vectors, std::int64_t row, std::int64_t v,
                      Vector (&sum)[outputs_at_once][taps_at_once]) const {
    const Floats d;
    const std::int64_t column = vectors.column(v);
    const float* from = src + image.position_offset(row, column);
    const auto counts =
        vectors.fill() ? hn::Not(hn::FirstN(d, static_cast<std::size_t>(v * row_lanes - column)))
                       : hn::FirstN(d, static_cast<std::size_t>(vectors.width));
    Vector x[taps_at_once];
    unroll<taps_at_once>(
        [&](auto t) HWY_ATTR { x[t] = hn::IfThenElseZero(counts, hn::LoadU(d, from + taps[t])); });
    unroll<outputs_at_once>([&](auto g) HWY_ATTR {
      const float* at = diff[g] + row * vectors.width + column;
      const Vector dy = hn::IfThenElseZero(counts, load_row(vectors, at));
      unroll<taps_at_once>([&](auto t) HWY_ATTR { sum[g][t] = hn::MulAdd(dy, x[t], sum[g][t]); });
    });
  }

  static HWY_INLINE Vector load_row(const RowVectors& vectors, const float* at) {
    const Floats d;
    if (vectors.fill()) return hn::LoadU(d, at);
    HWY_ALIGN float lanes[row_lanes] = {};
    std::copy_n(at, vectors.width, lanes);
    return hn::Load(d, lanes);
  }
};

HWY_INLINE void add_plane(const float* plane, std::int64_t count, float* sums) {
  const Floats d;
  Vector sum = hn::Load(d, sums);
  std::int64_t i = 0;
  for (; i + row_lanes <= count; i += row_lanes) sum = hn::Add(sum, hn::LoadU(d, plane + i));
  hn::Store(sum, d, sums);
  for (std::int64_t lane = 0; i < count; ++i, ++lane) sums[lane] += plane[i];
}

HWY_INLINE void finish(const float* sums, bool adds, float& dst) {
  float total = 0;
  for (int lane = 0; lane < row_lanes; ++lane) total += sums[lane];
  dst = adds ? dst + total : total;
}

// Sums of all outputs and taps, then those of the biases; offsets of the taps; an image.
struct BackwardWorkspace {
  BackwardWorkspace(const ConvShape& shape, void* memory)
      : sizes(shape), image(shape), weight_sums(static_cast<float*>(memory)) {
    weight_floats = shape.groups * sizes.padded_outputs * sizes.padded_taps * row_lanes;
    bias_sums = weight_sums + weight_floats;
    taps = reinterpret_cast<std::int64_t*>(bias_sums + shape.outputs * row_lanes);
    padded = reinterpret_cast<float*>(taps + sizes.padded_taps);
  }
  [[nodiscard]] std::size_t bytes(const ConvShape& shape) const {
    const std::int64_t floats = weight_floats + shape.outputs * row_lanes + image.floats();
    return static_cast<std::size_t>(floats) * sizeof(float) +
           static_cast<std::size_t>(sizes.padded_taps) * sizeof(std::int64_t);
  }

  const Sizes sizes;
  const DirectImage image;
  std::int64_t weight_floats;
  float *weight_sums, *bias_sums;
  std::int64_t* taps;
  float* padded;
};

std::size_t backward_workspace_bytes(const ConvShape& shape) {
  return BackwardWorkspace(shape, nullptr).bytes(shape);
}

// One image's share in the sums of a group.
HWY_INLINE void add_group(const ConvShape& shape, const BackwardWorkspace& space,
                          std::int64_t group, const float* diff_dst) {
  const Sizes& sizes = space.sizes;
  const std::int64_t plane = shape.out_height() * shape.out_width();
  const std::int64_t channels = shape.channels / shape.groups;
  const float* src = space.padded + group * channels * space.image.channel_floats();
  for (std::int64_t o = 0; o < sizes.group_outputs; o += outputs_at_once) {
    for (std::int64_t tap = 0; tap < sizes.padded_taps; tap += taps_at_once) {
      PlaneSums planes{shape, space.image, space.taps + tap, src, {}};
      float* sums[outputs_at_once];
      for (std::int64_t g = 0; g < outputs_at_once; ++g) {
        const std::int64_t output = std::min(o + g, sizes.group_outputs - 1);
        planes.diff[g] = diff_dst + (group * sizes.group_outputs + output) * plane;
        sums[g] = space.weight_sums +
                  ((group * sizes.padded_outputs + o + g) * sizes.padded_taps + tap) * row_lanes;
      }
      planes.add_to(sums);
    }
  }
}

void backward_weight(const ConvShape& shape, const float* src, const float* diff_dst, bool adds,
                     float* diff_weight, float* diff_bias, void* workspace) {
  const BackwardWorkspace space(shape, workspace);
  const Sizes& sizes = space.sizes;
  const std::int64_t plane = shape.out_height() * shape.out_width();
  list_taps(shape, space.image, space.taps);
  std::fill(space.taps + sizes.taps, space.taps + sizes.padded_taps, space.taps[0]);
  std::fill_n(space.weight_sums, space.weight_floats + shape.outputs * row_lanes, 0.0f);
  for (std::int64_t n = 0; n < shape.images; ++n) {
    space.image.fill(src + n * shape.channels * shape.height * shape.width, n > 0, space.padded);
    const float* diff = diff_dst + n * shape.outputs * plane;
    for (std::int64_t group = 0; group < shape.groups; ++group) {
      add_group(shape, space, group, diff);
    }
    for (std::int64_t o = 0; o < shape.outputs && diff_bias != nullptr; ++o) {
      add_plane(diff + o * plane, plane, space.bias_sums + o * row_lanes);
    }
  }
  for (std::int64_t o = 0; o < shape.outputs; ++o) {
    const std::int64_t row =
        o / sizes.group_outputs * sizes.padded_outputs + o % sizes.group_outputs;
    const float* sums = space.weight_sums + row * sizes.padded_taps * row_lanes;
    for (std::int64_t tap = 0; tap < sizes.taps; ++tap) {
      finish(sums + tap * row_lanes, adds, diff_weight[o * sizes.taps + tap]);
    }
    if (diff_bias != nullptr) finish(space.bias_sums + o * row_lanes, adds, diff_bias[o]);
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(backward_workspace_bytes);
HWY_EXPORT(backward_weight);

std::size_t direct_conv_backward_weight_workspace_bytes(const ConvShape& shape) {
  return HWY_DYNAMIC_DISPATCH(backward_workspace_bytes)(shape);
}

void direct_conv_backward_weight(const ConvShape& shape, const float* src, const float* diff_dst,
                                 bool adds, float* diff_weight, float* diff_bias, void* workspace) {
  HWY_DYNAMIC_DISPATCH(backward_weight)
  (shape, src, diff_dst, adds, diff_weight, diff_bias, workspace);
}

}  // namespace backplane::cpu
#endif
