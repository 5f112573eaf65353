// Winograd's convolution: a panel of tiles is transformed, multiplied point by point, and finished.
#include "cpu/winograd.h"

#include <algorithm>

#include "cpu/winograd_layout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/winograd.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/winograd_input-inl.h"
#include "cpu/winograd_output-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Outputs whose sums are in registers at once, for one vector of tiles and for two. More than ten
// have no general registers for their weights' addresses.
template <int vectors>
constexpr int outputs_at_once = vectors == 1             ? 10
                                : vector_registers == 32 ? 8
                                                         : 6;

constexpr int max_vectors = 2;
// Between points: powers of two would fall into the same sets of a cache.
constexpr std::int64_t line = 16;

// Transformed elements, [points][channels][vectors of the panel].
struct Transformed {
  const float* data;
  std::int64_t channels, channel_step, point_step;
};

// sums[point][output] = weights[output][point] * src[point], `count` outputs.
template <int vectors, int count>
HWY_NOINLINE void multiply(const float* const* weights, const Transformed& src, int points,
                           float* sums, std::int64_t sums_step) {
  const Floats d;
  const float* w[count];
  std::copy_n(weights, count, w);
  const float* from = src.data;
  const std::int64_t channels = src.channels, channel_step = src.channel_step;
  for (int point = 0; point < points; ++point, from += src.point_step, sums += sums_step) {
    Vector sum[count][vectors];
    unroll<count * vectors>([&](auto i) HWY_ATTR { sum[i / vectors][i % vectors] = hn::Zero(d); });
    const float* x_at = from;
    for (std::int64_t c = 0; c < channels; ++c, x_at += channel_step) {
      Vector x[vectors];
      unroll<vectors>([&](auto v) HWY_ATTR { x[v] = hn::Load(d, x_at + v * tile_lanes); });
      unroll<count>([&](auto g) HWY_ATTR {
        const Vector weight = hn::Set(d, w[g][c]);
        unroll<vectors>([&](auto v) HWY_ATTR { sum[g][v] = hn::MulAdd(weight, x[v], sum[g][v]); });
      });
    }
    unroll<count>([&](auto g) HWY_ATTR {
      unroll<vectors>(
          [&](auto v) HWY_ATTR { hn::Store(sum[g][v], d, sums + (g * vectors + v) * tile_lanes); });
      w[g] += channels;
    });
  }
}

// The instance for a count that is known when it runs.
template <int vectors, int count = outputs_at_once<vectors>, class... Arguments>
HWY_INLINE void multiply_counted(int wanted, const Arguments&... arguments) {
  if (wanted == count) {
    multiply<vectors, count>(arguments...);
  } else if constexpr (count > 1) {
    multiply_counted<vectors, count - 1>(wanted, arguments...);
  }
}

template <class T>
class Winograd {
 public:
  Winograd(const ConvShape& shape, const float* src, const float* packed,
           const ConvEpilogue& epilogue, float* dst, void* workspace)
      : shape_(shape),
        epilogue_(epilogue),
        packed_(packed),
        grid_(shape, T::outputs, epilogue.pool),
        transformed_(static_cast<float*>(workspace)),
        sums_(transformed_ + transformed_floats(shape)),
        kept_(reinterpret_cast<std::int64_t*>(sums_ + sums_floats(shape))),
        source_(shape, grid_, src, reinterpret_cast<float*>(kept_ + shape.outputs)),
        sink_(grid_, shape.outputs, epilogue, dst) {}

  static std::size_t workspace_bytes(const ConvShape& shape) {
    const TileGrid grid(shape, T::outputs, 1);
    const std::size_t floats = transformed_floats(shape) + sums_floats(shape) +
                               TileSource<T>::strip_floats(grid, max_vectors);
    return floats * sizeof(float) + static_cast<std::size_t>(shape.outputs) * sizeof(std::int64_t);
  }

  // Two vectors of tiles share what is read of the weight.
  void run() {
    for (std::int64_t tile = 0; tile < grid_.tiles();) {
      if (grid_.tiles() - tile > tile_lanes) {
        run_panel<2>(tile);
        tile += 2 * tile_lanes;
      } else {
        run_panel<1>(tile);
        tile += tile_lanes;
      }
    }
  }

 private:
  static constexpr int points = T::points * T::points;
  static std::size_t sums_floats(const ConvShape& shape) {
    constexpr std::int64_t most = std::max(outputs_at_once<1>, outputs_at_once<2>);
    const std::int64_t held = by_points(shape) ? shape.outputs : std::min(shape.outputs, most);
    return static_cast<std::size_t>(points * sums_step<max_vectors>(held));
  }
  static std::size_t transformed_floats(const ConvShape& shape) {
    return points * (static_cast<std::size_t>(shape.channels) * max_vectors * tile_lanes + line);
  }

  template <int vectors>
  HWY_INLINE void run_panel(std::int64_t first) {
    TileVector tiles[vectors];
    for (int v = 0; v < vectors; ++v) {
      tiles[v].set(grid_, first + v * tile_lanes, shape_.outputs);
    }
    transform_input(tiles);
    for (unsigned kept_by = 1; kept_by < 1u << vectors; ++kept_by) {
      const std::int64_t count = list_kept(tiles, kept_by);
      if (kept_by == 3) {
        sum_outputs<2>(tiles, count, transformed<vectors>(0));
      } else {
        const unsigned v = kept_by - 1;
        sum_outputs<1>(tiles + v, count, transformed<vectors>(v));
      }
    }
    if (epilogue_.mask != nullptr) write_dropped(tiles);
  }

  // Whether some tile's image keeps the output.
  [[nodiscard]] HWY_INLINE bool keeps(const TileVector& tiles, std::int64_t output) const {
    if (epilogue_.mask == nullptr) return true;
    for (std::int64_t image = tiles.image[0]; image <= tiles.image[tile_lanes - 1]; ++image) {
      if (epilogue_.mask[image * shape_.outputs + output] != 0) return true;
    }
    return false;
  }

  // Lists the outputs that these vectors keep and no other does: bit v stands for vector v.
  template <int vectors>
  HWY_INLINE std::int64_t list_kept(const TileVector (&tiles)[vectors], unsigned kept_by) {
    std::int64_t count = 0;
    for (std::int64_t output = 0; output < shape_.outputs; ++output) {
      unsigned kept = 0;
      for (int v = 0; v < vectors; ++v) kept |= unsigned{keeps(tiles[v], output)} << v;
      if (kept == kept_by) kept_[count++] = output;
    }
    return count;
  }

  template <int vectors>
  HWY_INLINE void write_dropped(const TileVector (&tiles)[vectors]) const {
    for (const TileVector& vector : tiles) {
      for (std::int64_t output = 0; output < shape_.outputs; ++output) {
        if (!keeps(vector, output)) sink_.drop(vector, output);
      }
    }
  }

  template <int vectors>
  HWY_INLINE void transform_input(const TileVector (&tiles)[vectors]) {
    source_.set_panel(tiles);
    const Transformed layout = transformed<vectors>(0);
    float* to = transformed_;
    for (std::int64_t c = 0; c < shape_.channels; ++c) {
      source_.set_channel(c);
      for (int v = 0; v < vectors; ++v, to += tile_lanes) {
        source_.transform(v, to, layout.point_step);
      }
    }
  }

  // The first `count` outputs of the list, for so many vectors of the panel: block by block with
  // all points, so that sums stay in the nearest cache; or point by point with all blocks, if all
  // points of the panel don't stay in the second one.
  template <int vectors>
  HWY_INLINE void sum_outputs(const TileVector* tiles, std::int64_t count,
                              const Transformed& transformed) {
    constexpr int at_once = outputs_at_once<vectors>;
    const std::int64_t blocks = (count + at_once - 1) / at_once;
    const auto begin_of = [&](std::int64_t block) { return count * block / blocks; };
    if (!by_points(shape_)) {
      for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t first = begin_of(block), here = begin_of(block + 1) - first;
        sum_block<vectors>(first, here, here, 0, points, transformed);
        finish<vectors>(tiles, first, here);
      }
      return;
    }
    for (int point = 0; point < points; ++point) {
      for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t first = begin_of(block), here = begin_of(block + 1) - first;
        sum_block<vectors>(first, here, count, point, point + 1, transformed);
      }
    }
    finish<vectors>(tiles, 0, count);
  }

  // Points [begin, end) of outputs [first, first + count) of the list; sums_ holds `held` outputs,
  // these among them.
  template <int vectors>
  HWY_INLINE void sum_block(std::int64_t first, std::int64_t count, std::int64_t held, int begin,
                            int end, Transformed transformed) {
    const float* weights[outputs_at_once<vectors>];
    for (std::int64_t g = 0; g < count; ++g) {
      weights[g] = packed_ + kept_[first + g] * winograd_output_step(T::points, shape_.channels) +
                   begin * shape_.channels;
    }
    transformed.data += begin * transformed.point_step;
    const std::int64_t step = sums_step<vectors>(held);
    float* sums = sums_ + begin * step;
    if (held != count) sums += first * vectors * tile_lanes;
    multiply_counted<vectors>(static_cast<int>(count), weights, transformed, end - begin, sums,
                              step);
  }

  // Outputs [first, first + count) of the list, which are all that sums_ holds.
  template <int vectors>
  HWY_INLINE void finish(const TileVector* tiles, std::int64_t first, std::int64_t count) const {
    for (std::int64_t g = 0; g < count; ++g) {
      for (int v = 0; v < vectors; ++v) {
        sink_.finish(tiles[v], kept_[first + g], sums_ + (g * vectors + v) * tile_lanes,
                     sums_step<vectors>(count));
      }
    }
  }

  template <int vectors>
  static constexpr std::int64_t sums_step(std::int64_t outputs) {
    return outputs * vectors * tile_lanes + line;
  }

  // Three quarters of a second cache of 2 MiB: the rest is for the weights that stream by.
  static bool by_points(const ConvShape& shape) {
    constexpr std::size_t bytes_that_stay = std::size_t{3} << 19;
    return transformed_floats(shape) * sizeof(float) > bytes_that_stay;
  }

  // From vector v of a panel of `vectors` on.
  template <int vectors>
  [[nodiscard]] HWY_INLINE Transformed transformed(unsigned v) const {
    const std::int64_t channel_step = vectors * tile_lanes;
    return {transformed_ + v * tile_lanes, shape_.channels, channel_step,
            shape_.channels * channel_step + line};
  }

  const ConvShape& shape_;
  const ConvEpilogue& epilogue_;
  const float* packed_;
  const TileGrid grid_;
  float *transformed_, *sums_;
  std::int64_t* kept_;
  TileSource<T> source_;
  TileSink<T> sink_;
};

#define BACKPLANE_ROW(side)                                                           \
  void winograd_##side(const ConvShape& shape, const float* src, const float* packed, \
                       const ConvEpilogue& epilogue, float* dst, void* workspace) {   \
    Winograd<TransformsOf##side>(shape, src, packed, epilogue, dst, workspace).run(); \
  }                                                                                   \
  std::size_t workspace_bytes_##side(const ConvShape& shape) {                        \
    return Winograd<TransformsOf##side>::workspace_bytes(shape);                      \
  }
BACKPLANE_ROW(4)
BACKPLANE_ROW(6)
#undef BACKPLANE_ROW

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(winograd_4);
HWY_EXPORT(winograd_6);
HWY_EXPORT(workspace_bytes_4);
HWY_EXPORT(workspace_bytes_6);

bool winograd_computes(const ConvShape& shape) {
  const auto all = [](const std::int64_t(&sizes)[2], std::int64_t wanted) {
    return sizes[0] == wanted && sizes[1] == wanted;
  };
  return all(shape.kernel, 3) && all(shape.stride, 1) && all(shape.dilation, 1) &&
         shape.groups == 1 && std::all_of(shape.padding, shape.padding + 4, [](std::int64_t p) {
           return p >= 0 && p <= 2;
         });
}

std::size_t winograd_packed_bytes(WinogradTile tile, std::int64_t outputs, std::int64_t channels) {
  const std::int64_t points = static_cast<int>(tile) + 2;
  return static_cast<std::size_t>(outputs * winograd_output_step(points, channels)) * sizeof(float);
}

std::size_t winograd_workspace_bytes(WinogradTile tile, const ConvShape& shape) {
  return tile == WinogradTile::six ? HWY_DYNAMIC_DISPATCH(workspace_bytes_6)(shape)
                                   : HWY_DYNAMIC_DISPATCH(workspace_bytes_4)(shape);
}

void winograd(WinogradTile tile, const ConvShape& shape, const float* src, const float* packed,
              const ConvEpilogue& epilogue, float* dst, void* workspace) {
  if (tile == WinogradTile::six) {
    HWY_DYNAMIC_DISPATCH(winograd_6)(shape, src, packed, epilogue, dst, workspace);
  } else {
    HWY_DYNAMIC_DISPATCH(winograd_4)(shape, src, packed, epilogue, dst, workspace);
  }
}

}  // namespace backplane::cpu
#endif
