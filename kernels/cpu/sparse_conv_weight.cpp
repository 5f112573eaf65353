// The gradient of the weight: an image's windows with a winner become a list for each filter, and a
// filter's list a sum of patches of the input, kept in registers.
#include "cpu/sparse_conv.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sparse_conv_weight.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/sparse_conv-inl.h"
#include "cpu/transpose-inl.h"
#include "cpu/winner_lists-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Rows [begin, end) of the padded image that windows of these rows of the pooled result need.
struct StripRows {
  std::int64_t begin, end;
};
HWY_INLINE StripRows strip_rows(const SparseConv& conv, std::int64_t pooled_begin,
                                std::int64_t pooled_end) {
  const PoolWindow& pool = conv.pool;
  const std::int64_t first = pooled_begin * pool.stride[0] - pool.padding[0];
  const std::int64_t last =
      (pooled_end - 1) * pool.stride[0] - pool.padding[0] + (pool.kernel[0] - 1) * pool.dilation[0];
  const std::int64_t from = std::max<std::int64_t>(first, 0);
  const std::int64_t to = std::max(from, std::min(last, conv.result_height - 1));
  return {from * conv.stride[0], to * conv.stride[0] + (conv.kernel[0] - 1) * conv.dilation[0] + 1};
}

// An image is worked on in strips that stay in the first-level cache, for so many rows of the
// pooled result.
struct Strips {
  Strips(const SparseConv& conv, const PaddedImage& image) {
    while (pooled_rows < conv.pooled_height &&
           bytes_of(conv, image, pooled_rows + 1) <= cached_bytes) {
      ++pooled_rows;
    }
    bytes = bytes_of(conv, image, pooled_rows);
  }
  static HWY_INLINE std::int64_t bytes_of(const SparseConv& conv, const PaddedImage& image,
                                          std::int64_t pooled_rows) {
    const StripRows strip = strip_rows(conv, 0, pooled_rows);
    // The first strip may lack what the pool's padding takes off.
    return (strip.end - strip.begin + conv.pool.padding[0] * conv.stride[0]) * image.row_floats * 4;
  }

  std::int64_t pooled_rows = 1, bytes;
};

// Measured: a term takes half a cycle for each sum, or a whole one where the image comes from the
// second-level cache, and 2.5 beside; a list 2.5 for each sum, which comes from there and goes
// back, and 20 for its end; a vector of pixels 5, and one of windows 10.
HWY_INLINE SparseConvCost cost_of(const SparseConv& conv, const Packing& packing) {
  const PaddedImage image(conv, packing.pixel);
  const Strips strips(conv, image);
  const std::int64_t lists = conv.filters * ceil_div(conv.pooled_height, strips.pooled_rows);
  SparseConvCost cost{};
  for_each_pass(conv, packing, image, [&](const Pass& pass) {
    const auto sums = static_cast<double>(pass.rows * pass.vectors);
    cost.per_term += 2.5 + sums * (strips.bytes <= cached_bytes ? 0.5 : 1);
    cost.fixed += static_cast<double>(lists) * (20 + 2.5 * sums);
  });
  const auto blocks = static_cast<double>(packing.blocks);
  const std::int64_t pixels = packing.pixel * conv.height * conv.width;
  const std::int64_t windows = conv.filters * conv.pooled_height * conv.pooled_width;
  return {blocks * (cost.fixed + 5 * static_cast<double>(pixels / float_lanes)) +
              10 * static_cast<double>(windows / float_lanes),
          blocks * cost.per_term};
}

// Vectors of channels in a block: what costs least with a third of the windows won.
HWY_INLINE std::int64_t vectors_of_block(const SparseConv& conv) {
  const std::int64_t vectors = ceil_div(conv.channels, float_lanes);
  const auto terms = static_cast<double>(conv.filters * conv.pooled_height * conv.pooled_width) / 3;
  std::int64_t best = 1;
  double least = 0;
  for (std::int64_t count = 1; count <= std::min<std::int64_t>(vectors, most_sums); ++count) {
    const SparseConvCost cost = cost_of(conv, Packing(conv, count));
    const double cycles = cost.fixed + cost.per_term * terms;
    if (count == 1 || cycles < least) best = count, least = cycles;
  }
  return best;
}

// Where everything lies in the workspace.
struct WeightWork {
  explicit WeightWork(const SparseConv& conv)
      : packing(conv, vectors_of_block(conv)), image(conv, packing.pixel), strips(conv, image) {
    const std::int64_t windows = conv.pooled_height * conv.pooled_width;
    const std::int64_t terms = conv.filters * strips.pooled_rows * conv.pooled_width + float_lanes;
    origins_at = take(windows * 4);
    strip_at = take(strips.bytes + float_lanes * 4);
    starts_at = take((conv.filters + 1) * 4);
    values_at = take(terms * 4);
    offsets_at = take(terms * 4);
  }

  Packing packing;
  PaddedImage image;
  Strips strips;
  std::int64_t origins_at, strip_at, starts_at, values_at, offsets_at, bytes = 0;

 private:
  std::int64_t take(std::int64_t size) {
    return std::exchange(bytes, ceil_div(bytes + size, 64) * 64);
  }
};

// Some rows of a block of channels, pixel by pixel, zeros where they are padding.
HWY_INLINE void load_strip(const SparseConv& conv, const PaddedImage& image, StripRows rows,
                           const float* input, std::int64_t channels, float* strip) {
  const std::int64_t plane = conv.height * conv.width;
  const std::int64_t top = conv.padding[0], left = conv.padding[1];
  if (channels != image.pixel || image.columns != conv.width || rows.begin < top ||
      rows.end > top + conv.height) {
    std::fill_n(strip, (rows.end - rows.begin) * image.row_floats, 0.0f);
  }
  const std::int64_t begin = std::max(rows.begin, top), end = std::min(rows.end, top + conv.height);
  // Without columns of padding, rows are one long row.
  const std::int64_t together =
      image.columns == conv.width ? std::max<std::int64_t>(end - begin, 1) : 1;
  for (std::int64_t row = begin; row < end; row += together) {
    const Transpose t{channels, together * conv.width, plane, image.pixel};
    transpose(t, input + (row - top) * conv.width,
              StoreTransposed{strip + (row - rows.begin) * image.row_floats + left * image.pixel});
  }
}

// A list as add_terms reads it.
struct ListedTerms {
  HWY_INLINE bool next(float& value, const float*& from) {
    if (values == end) return false;
    value = *values++;
    from = strip + *offsets++;
    return true;
  }
  const float *values, *end;
  const std::int32_t* offsets;
  const float* strip;
};

struct WeightSweepArguments {
  const Terms& terms;
  const Packing& packing;
  const Pass& pass;
  const float* strip;  // of the pass
  float* packed;
};

// One pass over all filters.
template <int rows, int vectors>
struct WeightSweep {
  static void run(const WeightSweepArguments& a) {
    const Terms& terms = a.terms;
    float* packed = a.packed;
    for (std::int64_t filter = 0; filter < a.packing.filters; ++filter) {
      const std::int32_t begin = terms.starts[filter], end = terms.starts[filter + 1];
      if (begin != end) {
        const ListedTerms listed{terms.values + begin, terms.values + end, terms.offsets + begin,
                                 a.strip};
        add_terms<rows, vectors>(listed, a.pass.image_step, packed, a.pass.packed_step,
                                 float_lanes);
      }
      packed += a.packing.filter_floats;
    }
  }
};

HWY_INLINE void add_strip(const SparseConv& conv, const WeightWork& work, StripRows rows,
                          const float* input, const Terms& terms, float* strip, float* gradient) {
  const Packing& packing = work.packing;
  for (std::int64_t block = 0; block < packing.blocks; ++block) {
    load_strip(conv, work.image, rows, input + block * packing.pixel * conv.height * conv.width,
               packing.channels_of(block), strip);
    for_each_pass(conv, packing, work.image, [&](const Pass& pass) HWY_ATTR {
      sweep_for<WeightSweep>(pass)({terms, packing, pass, strip + pass.image_offset,
                                    gradient + block * packing.block_floats + pass.packed_offset});
    });
  }
}

void backward_weight(const SparseConv& conv, std::int64_t images, const float* input,
                     const float* dy, const std::uint8_t* winners, char* workspace,
                     float* gradient) {
  const WeightWork work(conv);
  auto* origins = reinterpret_cast<std::int32_t*>(workspace + work.origins_at);
  auto* strip = reinterpret_cast<float*>(workspace + work.strip_at);
  const Terms terms{reinterpret_cast<std::int32_t*>(workspace + work.starts_at),
                    reinterpret_cast<float*>(workspace + work.values_at),
                    reinterpret_cast<std::int32_t*>(workspace + work.offsets_at)};
  const WinnerOffset winner_offset(conv, work.image);
  const std::int64_t windows = conv.pooled_height * conv.pooled_width;
  float* bias = gradient + work.packing.blocks * work.packing.block_floats;
  fill_origins(conv, work.image, origins);
  for (std::int64_t image = 0; image < images; ++image) {
    for (std::int64_t row = 0; row < conv.pooled_height; row += work.strips.pooled_rows) {
      const std::int64_t end = std::min(row + work.strips.pooled_rows, conv.pooled_height);
      const StripRows rows = strip_rows(conv, row, end);
      const StripOfWindows strip_of_windows{
          row * conv.pooled_width, end * conv.pooled_width, origins,
          static_cast<std::int32_t>(rows.begin * work.image.row_floats), winner_offset};
      std::int32_t count = 0;
      for (std::int64_t filter = 0; filter < conv.filters; ++filter) {
        terms.starts[filter] = count;
        count = list_terms(strip_of_windows, dy + filter * windows, winners + filter * windows,
                           count, terms, bias + filter * float_lanes);
      }
      terms.starts[conv.filters] = count;
      if (count != 0) add_strip(conv, work, rows, input, terms, strip, gradient);
    }
    input += conv.input_stride;
    dy += conv.pooled_stride;
    winners += conv.pooled_stride;
  }
}

// Adds the channels of a filter, `channels` of one block. Taps that all lie side by side are a
// matrix, which is transposed before it is added.
HWY_INLINE void unpack_filter(const SparseConv& conv, const Packing& packing, const float* from,
                              std::int64_t channels, float* to) {
  constexpr std::int64_t piece = 1024;
  const std::int64_t columns = conv.kernel[1], taps = conv.kernel[0] * columns;
  if (packing.row_floats != columns * packing.pixel || taps > piece) {
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const float* row = from + packing.tap(tap / columns, tap % columns);
      for (std::int64_t i = 0; i < channels; ++i) to[i * taps + tap] += row[i];
    }
    return;
  }
  alignas(64) float plain[piece];
  const std::int64_t together = piece / taps;
  for (std::int64_t first = 0; first < channels; first += together) {
    const std::int64_t count = std::min(together, channels - first);
    transpose({taps, count, packing.pixel, taps}, from + first, StoreTransposed{plain});
    for (std::int64_t i = 0; i < count * taps; ++i) to[first * taps + i] += plain[i];
  }
}

void unpack_gradient(const SparseConv& conv, const float* gradient, float* dweight, float* dbias) {
  const Packing packing(conv, vectors_of_block(conv));
  const std::int64_t taps = conv.kernel[0] * conv.kernel[1];
  for (std::int64_t block = 0; block < packing.blocks; ++block) {
    for (std::int64_t filter = 0; filter < conv.filters; ++filter) {
      unpack_filter(conv, packing,
                    gradient + block * packing.block_floats + filter * packing.filter_floats,
                    packing.channels_of(block),
                    dweight + (filter * conv.channels + block * packing.pixel) * taps);
    }
  }
  if (dbias == nullptr) return;
  const Floats d;
  const float* bias = gradient + packing.blocks * packing.block_floats;
  for (std::int64_t filter = 0; filter < conv.filters; ++filter) {
    dbias[filter] += hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, bias + filter * float_lanes)));
  }
}

SparseConvCost backward_weight_cost(const SparseConv& conv) {
  return cost_of(conv, Packing(conv, vectors_of_block(conv)));
}

// Zeros, then the pooled gradient: windows that fill the result are written, others added.
double expansion_cycles(const SparseConv& conv) {
  bool fills = true;
  for (int axis = 0; axis < 2; ++axis) {
    fills = fills && conv.pool.stride[axis] == conv.pool.kernel[axis] &&
            conv.pool.padding[axis] == 0 && conv.pool.dilation[axis] == 1;
  }
  const std::int64_t results = conv.filters * conv.result_height * conv.result_width;
  const std::int64_t windows = conv.filters * conv.pooled_height * conv.pooled_width;
  return static_cast<double>(results / float_lanes) +
         (fills ? 3 : 5) * static_cast<double>(windows);
}

std::int64_t count_terms(std::int64_t count, const float* dy, const std::uint8_t* winners) {
  const Floats d;
  const hn::RebindToSigned<Floats> di;
  const hn::Rebind<std::uint8_t, Floats> db;
  std::int64_t terms = 0, i = 0;
  for (; i + float_lanes <= count; i += float_lanes) {
    const auto winner = hn::PromoteTo(di, hn::LoadU(db, winners + i));
    const auto stands = hn::RebindMask(d, hn::Lt(winner, hn::Set(di, 255)));
    const auto zero = hn::Eq(hn::LoadU(d, dy + i), hn::Zero(d));
    terms += static_cast<std::int64_t>(hn::CountTrue(d, hn::AndNot(zero, stands)));
  }
  for (; i < count; ++i) terms += winners[i] != 255 && dy[i] != 0 ? 1 : 0;
  return terms;
}

std::int64_t gradient_size(const SparseConv& conv) {
  const Packing packing(conv, vectors_of_block(conv));
  return packing.blocks * packing.block_floats + conv.filters * float_lanes;
}

std::int64_t backward_weight_workspace(const SparseConv& conv) {
  return WeightWork(conv).bytes;
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(backward_weight);
HWY_EXPORT(unpack_gradient);
HWY_EXPORT(gradient_size);
HWY_EXPORT(backward_weight_cost);
HWY_EXPORT(expansion_cycles);
HWY_EXPORT(count_terms);
HWY_EXPORT(backward_weight_workspace);

std::int64_t sparse_conv_gradient_size(const SparseConv& conv) {
  return HWY_DYNAMIC_DISPATCH(gradient_size)(conv);
}
std::int64_t sparse_conv_backward_weight_workspace(const SparseConv& conv) {
  return HWY_DYNAMIC_DISPATCH(backward_weight_workspace)(conv);
}
void sparse_conv_backward_weight(const SparseConv& conv, std::int64_t images, const float* input,
                                 const float* dy, const std::uint8_t* winners, void* workspace,
                                 float* gradient) {
  HWY_DYNAMIC_DISPATCH(backward_weight)
  (conv, images, input, dy, winners, static_cast<char*>(workspace), gradient);
}
void sparse_conv_unpack_gradient(const SparseConv& conv, const float* gradient, float* dweight,
                                 float* dbias) {
  HWY_DYNAMIC_DISPATCH(unpack_gradient)(conv, gradient, dweight, dbias);
}
SparseConvCost sparse_conv_backward_weight_cost(const SparseConv& conv) {
  return HWY_DYNAMIC_DISPATCH(backward_weight_cost)(conv);
}
double sparse_conv_expansion_cycles(const SparseConv& conv) {
  return HWY_DYNAMIC_DISPATCH(expansion_cycles)(conv);
}
std::int64_t sparse_conv_count_terms(std::int64_t count, const float* dy,
                                     const std::uint8_t* winners) {
  return HWY_DYNAMIC_DISPATCH(count_terms)(count, dy, winners);
}

}  // namespace backplane::cpu
#endif
