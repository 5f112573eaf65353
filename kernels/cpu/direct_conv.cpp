// Direct convolutions: eight outputs times two vectors of neighbouring columns in registers.
#include "cpu/direct_conv.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/direct_conv.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/direct_image-inl.h"
#include "cpu/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

constexpr int max_outputs = vector_registers == 32 ? 8 : 6;
constexpr int max_vectors = 2;

// What a block of sums needs beside its operands.
struct DirectBlock {
  const std::int64_t* taps;
  std::int64_t tap_count;
  std::int64_t plane;   // elements of dst between outputs
  std::int64_t stored;  // lanes of a vector
  const float* bias;    // of the first output, or null
  float floor;          // what isn't above it becomes it: 0 for relu, else -infinity
};

// Outputs weight[0, outputs) of the vectors that begin at src, to dst.
template <int vectors, int outputs>
HWY_NOINLINE void sum_block(const DirectBlock& block, const float* weight, const float* const* src,
                            float* const* dst) {
  const Floats d;
  const float* w[outputs];
  unroll<outputs>([&](auto g) HWY_ATTR { w[g] = weight + g * block.tap_count; });
  const float* from[vectors];
  std::copy_n(src, vectors, from);
  Vector sum[outputs][vectors];
  unroll<outputs>([&](auto g) HWY_ATTR {
    const Vector bias = hn::Set(d, block.bias == nullptr ? 0.0f : block.bias[g]);
    unroll<vectors>([&](auto v) HWY_ATTR { sum[g][v] = bias; });
  });
  const std::int64_t* const taps = block.taps;
  const std::int64_t count = block.tap_count;
  for (std::int64_t tap = 0; tap < count; ++tap) {
    const std::int64_t offset = taps[tap];
    Vector x[vectors];
    unroll<vectors>([&](auto v) HWY_ATTR { x[v] = hn::LoadU(d, from[v] + offset); });
    unroll<outputs>([&](auto g) HWY_ATTR {
      const Vector factor = hn::Set(d, w[g][tap]);
      unroll<vectors>([&](auto v) HWY_ATTR { sum[g][v] = hn::MulAdd(factor, x[v], sum[g][v]); });
    });
  }
  // As in relu.h: compared with <=, a NaN stays.
  const Vector floor = hn::Set(d, block.floor);
  if (block.stored == row_lanes) {
    unroll<outputs>([&](auto g) HWY_ATTR {
      unroll<vectors>([&](auto v) HWY_ATTR {
        const Vector y = hn::IfThenElse(hn::Le(sum[g][v], floor), floor, sum[g][v]);
        hn::StoreU(y, d, dst[v] + g * block.plane);
      });
    });
    return;
  }
  HWY_ALIGN float lanes[outputs][vectors][row_lanes];
  unroll<outputs * vectors>([&](auto i) HWY_ATTR {
    const Vector y = sum[i / vectors][i % vectors];
    hn::Store(hn::IfThenElse(hn::Le(y, floor), floor, y), d, lanes[i / vectors][i % vectors]);
  });
  for (int i = 0; i < outputs * vectors; ++i) {
    std::copy_n(lanes[i / vectors][i % vectors], block.stored,
                dst[i % vectors] + i / vectors * block.plane);
  }
}

// The instance for a number of outputs that is known when it runs.
template <int vectors, int outputs = max_outputs>
HWY_INLINE void sum_block_of(std::int64_t wanted, const DirectBlock& block, const float* weight,
                             const float* const* src, float* const* dst) {
  if (wanted == outputs) {
    sum_block<vectors, outputs>(block, weight, src, dst);
  } else if constexpr (outputs > 1) {
    sum_block_of<vectors, outputs - 1>(wanted, block, weight, src, dst);
  }
}

// Where the vectors of a plane begin.
struct Position {
  std::int64_t src, dst;
};
HWY_INLINE std::int64_t position_count(const ConvShape& shape) {
  return shape.out_height() * RowVectors(shape.out_width()).count;
}
HWY_INLINE void list_positions(const ConvShape& shape, const DirectImage& image,
                               Position* positions) {
  const RowVectors vectors(shape.out_width());
  for (std::int64_t row = 0; row < shape.out_height(); ++row) {
    for (std::int64_t v = 0; v < vectors.count; ++v) {
      const std::int64_t column = vectors.column(v);
      *positions++ = {image.position_offset(row, column), row * vectors.width + column};
    }
  }
}

// The outputs of a group at `vectors` positions of one image: what they read stays in the nearest
// cache.
template <int vectors>
HWY_INLINE void sum_positions(DirectBlock block, std::int64_t outputs, const float* weight,
                              const float* src, float* dst, const Position* positions) {
  const float* from[vectors];
  unroll<vectors>([&](auto v) HWY_ATTR { from[v] = src + positions[v].src; });
  const std::int64_t blocks = (outputs + max_outputs - 1) / max_outputs;
  std::int64_t first = 0;
  for (std::int64_t left = blocks; left > 0; --left) {
    const std::int64_t here = (outputs - first + left - 1) / left;
    float* to[vectors];
    unroll<vectors>([&](auto v) HWY_ATTR { to[v] = dst + first * block.plane + positions[v].dst; });
    sum_block_of<vectors>(here, block, weight + first * block.tap_count, from, to);
    if (block.bias != nullptr) block.bias += here;
    first += here;
  }
}

std::int64_t tap_count(const ConvShape& shape) {
  return shape.channels / shape.groups * shape.kernel[0] * shape.kernel[1];
}

std::size_t workspace_bytes(const ConvShape& shape) {
  return static_cast<std::size_t>(position_count(shape)) * sizeof(Position) +
         static_cast<std::size_t>(tap_count(shape)) * sizeof(std::int64_t) +
         static_cast<std::size_t>(DirectImage(shape).floats()) * sizeof(float);
}

void forward(const ConvShape& shape, const float* src, const float* weight,
             const ConvEpilogue& epilogue, float* dst, void* workspace) {
  const DirectImage image(shape);
  const std::int64_t channels = shape.channels / shape.groups;
  const std::int64_t outputs = shape.outputs / shape.groups;
  const std::int64_t positions = position_count(shape);
  auto* at = static_cast<Position*>(workspace);
  auto* taps = reinterpret_cast<std::int64_t*>(at + positions);
  DirectBlock block{taps,
                    tap_count(shape),
                    shape.out_height() * shape.out_width(),
                    std::min<std::int64_t>(row_lanes, shape.out_width()),
                    nullptr,
                    epilogue.relu ? 0.0f : -std::numeric_limits<float>::infinity()};
  list_positions(shape, image, at);
  list_taps(shape, image, taps);
  auto* padded = reinterpret_cast<float*>(taps + block.tap_count);
  for (std::int64_t n = 0; n < shape.images; ++n) {
    image.fill(src + n * shape.channels * shape.height * shape.width, n > 0, padded);
    for (std::int64_t group = 0; group < shape.groups; ++group) {
      const float* from = padded + group * channels * image.channel_floats();
      const float* w = weight + group * outputs * block.tap_count;
      float* to = dst + (n * shape.outputs + group * outputs) * block.plane;
      block.bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + group * outputs;
      std::int64_t i = 0;
      for (; i + max_vectors <= positions; i += max_vectors) {
        sum_positions<max_vectors>(block, outputs, w, from, to, at + i);
      }
      for (; i < positions; ++i) sum_positions<1>(block, outputs, w, from, to, at + i);
    }
  }
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(workspace_bytes);
HWY_EXPORT(forward);

std::size_t direct_conv_workspace_bytes(const ConvShape& shape) {
  return HWY_DYNAMIC_DISPATCH(workspace_bytes)(shape);
}

void direct_conv(const ConvShape& shape, const float* src, const float* weight,
                 const ConvEpilogue& epilogue, float* dst, void* workspace) {
  HWY_DYNAMIC_DISPATCH(forward)(shape, src, weight, epilogue, dst, workspace);
}

}  // namespace backplane::cpu
#endif
