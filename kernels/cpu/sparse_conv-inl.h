// What both gradients of sparse_conv.h share: a packed order of the weight in which a row of the
// kernel is a run of vectors, and sums of such runs in registers; included once for each
// instruction set.
#if defined(BACKPLANE_CPU_SPARSE_CONV_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_SPARSE_CONV_INL_H
#undef BACKPLANE_CPU_SPARSE_CONV_INL_H
#else
#define BACKPLANE_CPU_SPARSE_CONV_INL_H
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "cpu/sparse_conv.h"
#include "cpu/unroll-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

using Floats = hwy::HWY_NAMESPACE::ScalableTag<float>;
constexpr std::int64_t float_lanes = hwy::HWY_NAMESPACE::MaxLanes(Floats());

// How many sums fit into the registers beside an operand, and how many bytes that are read again
// and again into a first-level cache beside what passes through.
constexpr std::int64_t most_sums = vector_registers == 32 ? 27 : 14;
#if HWY_TARGET <= HWY_AVX3
constexpr std::int64_t cached_bytes = 37 * 1024;  // of 48 KB
#else
constexpr std::int64_t cached_bytes = 20 * 1024;  // of 32 KB
#endif

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// The kernel's rows, and vectors of a row, that are summed at a time.
constexpr std::array<int, 4> row_choices{7, 5, 3, 1};
constexpr std::array<int, 7> vector_choices{9, 6, 5, 4, 3, 2, 1};

constexpr std::int64_t rows_at_once(std::int64_t rows) {
  return *std::find_if(row_choices.begin(), row_choices.end(), [=](int r) { return r <= rows; });
}
// As many of the `vectors` left as go in equal passes.
constexpr std::int64_t vectors_at_once(std::int64_t rows, std::int64_t vectors) {
  const std::int64_t most = std::min<std::int64_t>(most_sums / rows, vector_choices.front());
  const std::int64_t even = ceil_div(vectors, ceil_div(vectors, most));
  return *std::find_if(vector_choices.begin(), vector_choices.end(),
                       [=](int v) { return v <= even; });
}

// Channels are cut into blocks of `pixel` floats, the last one padded; fewer than a vector holds
// are one block without padding. In a block the taps of a row of the kernel lie side by side, as
// they do in an image of such pixels, so a row is one run of `vectors` vectors, whatever the
// channels. A kernel with gaps between its columns has a run, and a group, for each column.
struct Packing {
  Packing(const SparseConv& conv, std::int64_t vectors_of_pixel)
      : filters(conv.filters),
        channels(conv.channels),
        rows(conv.kernel[0]),
        groups(conv.dilation[1] == 1 ? 1 : conv.kernel[1]),
        pixel(channels < float_lanes ? channels : vectors_of_pixel * float_lanes),
        blocks(ceil_div(channels, pixel)),
        run(groups == 1 ? conv.kernel[1] * pixel : pixel),
        row_floats(ceil_div(run, float_lanes) * float_lanes),
        filter_floats(groups * rows * row_floats),
        block_floats(filters * filter_floats) {}

  [[nodiscard]] std::int64_t channels_of(std::int64_t block) const {
    return std::min(pixel, channels - block * pixel);
  }
  // Where the first channel of a tap lies.
  [[nodiscard]] std::int64_t tap(std::int64_t row, std::int64_t column) const {
    return groups == 1 ? row * row_floats + column * pixel : (column * rows + row) * row_floats;
  }

  std::int64_t filters, channels, rows, groups, pixel, blocks;
  std::int64_t run, row_floats, filter_floats, block_floats;
};

// One block of an image's channels with padding all around, so that no window sticks out.
struct PaddedImage {
  PaddedImage(const SparseConv& conv, std::int64_t floats_of_pixel)
      : rows(extent(conv, 0, conv.height, conv.result_height)),
        columns(extent(conv, 1, conv.width, conv.result_width)),
        pixel(floats_of_pixel) {
    set_steps(conv);
  }

  // Enough more padding for windows of the pool that stick out of the convolution's result.
  HWY_INLINE void add_pool_padding(const SparseConv& conv) {
    std::int64_t* sizes[]{&rows, &columns};
    const std::int64_t pooled[]{conv.pooled_height, conv.pooled_width};
    for (int axis = 0; axis < 2; ++axis) {
      const PoolWindow& pool = conv.pool;
      const std::int64_t results = (pooled[axis] - 1) * pool.stride[axis] - pool.padding[axis] +
                                   (pool.kernel[axis] - 1) * pool.dilation[axis] + 1;
      before[axis] = pool.padding[axis] * conv.stride[axis];
      *sizes[axis] = std::max(*sizes[axis], extent(conv, axis, 0, results)) + before[axis];
    }
    set_steps(conv);
  }

  HWY_INLINE void set_steps(const SparseConv& conv) {
    row_floats = columns * pixel;
    result_row = conv.stride[0] * row_floats;
    result_column = conv.stride[1] * pixel;
  }

  static std::int64_t extent(const SparseConv& conv, int axis, std::int64_t size,
                             std::int64_t results) {
    return std::max(
        conv.padding[axis] + size,
        (results - 1) * conv.stride[axis] + (conv.kernel[axis] - 1) * conv.dilation[axis] + 1);
  }

  // The convolution's padding begins after so many rows, so many columns.
  std::int64_t before[2]{0, 0};
  std::int64_t rows, columns, pixel, row_floats;
  // From one element of the convolution's result to the next.
  std::int64_t result_row, result_column;
};

// A part of the kernel whose sums fit into registers: so many rows of so many vectors. Offsets lead
// to its first tap; only `tail` lanes of its last vectors are the kernel's.
struct Pass {
  std::int64_t rows, vectors, tail;
  std::int64_t packed_offset, packed_step;
  std::int64_t image_offset, image_step;
};

template <class Visit>
HWY_INLINE void for_each_pass(const SparseConv& conv, const Packing& packing,
                              const PaddedImage& image, const Visit& visit) {
  const std::int64_t vectors = packing.row_floats / float_lanes;
  Pass pass{};
  pass.packed_step = packing.row_floats;
  pass.image_step = conv.dilation[0] * image.row_floats;
  for (std::int64_t group = 0; group < packing.groups; ++group) {
    for (std::int64_t row = 0; row < packing.rows; row += pass.rows) {
      pass.rows = rows_at_once(packing.rows - row);
      for (std::int64_t vector = 0; vector < vectors; vector += pass.vectors) {
        pass.vectors = vectors_at_once(pass.rows, vectors - vector);
        const std::int64_t first = vector * float_lanes;
        pass.tail = std::min(packing.run - first, pass.vectors * float_lanes) -
                    (pass.vectors - 1) * float_lanes;
        pass.packed_offset = (group * packing.rows + row) * packing.row_floats + first;
        pass.image_offset = row * pass.image_step + group * conv.dilation[1] * image.pixel + first;
        visit(pass);
      }
    }
  }
}

// to[row][vector] += the sum of value * from[row][vector] over all terms; terms.next(value, from)
// gives one after the other. What `to` holds beyond its last `tail` lanes of a row stays.
template <int rows, int vectors, class Terms>
HWY_INLINE void add_terms(Terms terms, std::int64_t from_step, float* to, std::int64_t to_step,
                          std::int64_t tail) {
  namespace hn = hwy::HWY_NAMESPACE;
  const Floats d;
  hn::Vec<Floats> sum[rows * vectors];
#pragma GCC unroll 32
  for (int i = 0; i < rows * vectors; ++i) {
    sum[i] = hn::LoadU(d, to + i / vectors * to_step + i % vectors * float_lanes);
  }
  float value;
  const float* from;
  while (terms.next(value, from)) {
    const auto factor = hn::Set(d, value);
#pragma GCC unroll 32
    for (int i = 0; i < rows * vectors; ++i) {
      const float* at = from + i / vectors * from_step + i % vectors * float_lanes;
      sum[i] = hn::MulAdd(factor, hn::LoadU(d, at), sum[i]);
    }
  }
  if (tail == float_lanes) {
#pragma GCC unroll 32
    for (int i = 0; i < rows * vectors; ++i) {
      hn::StoreU(sum[i], d, to + i / vectors * to_step + i % vectors * float_lanes);
    }
    return;
  }
  const auto kept = hn::FirstN(d, static_cast<std::size_t>(tail));
#pragma GCC unroll 32
  for (int i = 0; i < rows * vectors; ++i) {
    float* at = to + i / vectors * to_step + i % vectors * float_lanes;
    if (i % vectors == vectors - 1) {
      hn::BlendedStore(sum[i], kept, d, at);
    } else {
      hn::StoreU(sum[i], d, at);
    }
  }
}

// Sweep<rows, vectors>::run of a pass.
template <template <int, int> class Sweep, std::size_t choice>
constexpr auto sweep_of() {
  constexpr int rows = row_choices[choice / vector_choices.size()];
  constexpr int vectors = vector_choices[choice % vector_choices.size()];
  if constexpr (rows * vectors <= most_sums) {
    return &Sweep<rows, vectors>::run;
  } else {
    return static_cast<decltype(&Sweep<1, 1>::run)>(nullptr);
  }
}
template <template <int, int> class Sweep, std::size_t... choice>
constexpr auto all_sweeps(std::index_sequence<choice...>) {
  return std::array{sweep_of<Sweep, choice>()...};
}
template <template <int, int> class Sweep>
HWY_INLINE auto sweep_for(const Pass& pass) {
  constexpr std::size_t count = row_choices.size() * vector_choices.size();
  static constexpr auto sweeps = all_sweeps<Sweep>(std::make_index_sequence<count>());
  const auto row = std::find(row_choices.begin(), row_choices.end(), pass.rows);
  const auto vector = std::find(vector_choices.begin(), vector_choices.end(), pass.vectors);
  return sweeps[static_cast<std::size_t>(row - row_choices.begin()) * vector_choices.size() +
                static_cast<std::size_t>(vector - vector_choices.begin())];
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
