// The gradient of the input: at each element of the convolution's result, the filters whose winner
// stood there add their weights to the patch that it saw, which stays in registers meanwhile.
#include "cpu/sparse_conv.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/sparse_conv_data.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/sparse_conv-inl.h"
#include "cpu/transpose-inl.h"
#include "cpu/winner_masks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// So many rows of a square kernel, at so many rows of a square window of the pool: the union of
// their patches, one vector a pixel, fits into registers. Each pass over a kernel's rows searches
// for winners anew, hence as few of those as can be. 0: not even a row fits.
struct WindowRows {
  int kernel = 0, pool = 0;
};
constexpr WindowRows window_rows(int kernel, int pool) {
  WindowRows best;
  const int rows = static_cast<int>(most_sums) / (kernel + pool - 1);
  for (int pool_rows = std::min(pool, rows); pool_rows > 0; --pool_rows) {
    const int kernel_rows = std::min(kernel, rows - pool_rows + 1);
    if (best.kernel == 0 || ceil_div(kernel, kernel_rows) < ceil_div(kernel, best.kernel)) {
      best = {kernel_rows, pool_rows};
    }
  }
  return best;
}
// The kernels and the windows for which a sum isn't stored between the taps of a window; that saves
// the most where few winners share a tap.
constexpr std::int64_t smallest_kernel = 2, largest_kernel = 5, smallest_pool = 2, largest_pool = 3;
HWY_INLINE bool has_window_sums(const SparseConv& conv) {
  const std::int64_t kernel = conv.kernel[0], pool = conv.pool.kernel[0];
  for (int axis = 0; axis < 2; ++axis) {
    if (conv.kernel[axis] != kernel || conv.pool.kernel[axis] != pool || conv.stride[axis] != 1 ||
        conv.dilation[axis] != 1 || conv.pool.dilation[axis] != 1) {
      return false;
    }
  }
  return conv.channels >= float_lanes && kernel >= smallest_kernel && kernel <= largest_kernel &&
         pool >= smallest_pool && pool <= largest_pool &&
         window_rows(static_cast<int>(kernel), static_cast<int>(pool)).kernel > 0;
}

// Vectors of channels in a block: more of them share the search for winners, until the sums no
// longer fit into registers or a word's weights into the first-level cache.
HWY_INLINE std::int64_t vectors_of_block(const SparseConv& conv) {
  if (has_window_sums(conv)) return 1;
  const std::int64_t vectors = ceil_div(conv.channels, float_lanes);
  const std::int64_t filters = std::min(conv.filters, word_filters);
  const std::int64_t taps = conv.kernel[0] * conv.kernel[1];
  const std::int64_t by_cache = cached_bytes / (taps * float_lanes * 4 * filters);
  return std::clamp<std::int64_t>(std::min(by_cache, most_sums / taps), 1, vectors);
}

// Passes over whole windows take some of the kernel's rows, too.
template <class Visit>
HWY_INLINE void for_each_data_pass(const SparseConv& conv, const Packing& packing,
                                   const PaddedImage& image, const Visit& visit) {
  if (!has_window_sums(conv)) return for_each_pass(conv, packing, image, visit);
  const auto kernel = static_cast<int>(conv.kernel[0]);
  const int rows = window_rows(kernel, static_cast<int>(conv.pool.kernel[0])).kernel;
  for (int row = 0; row < kernel; row += rows) {
    visit(Pass{.rows = std::min(rows, kernel - row),
               .vectors = kernel,
               .tail = float_lanes,
               .packed_offset = row * packing.row_floats,
               .packed_step = packing.row_floats,
               .image_offset = row * image.row_floats,
               .image_step = image.row_floats});
  }
}

// A word holds so many filters that its weights of one pass stay in the first-level cache.
HWY_INLINE std::int64_t filters_of_word(const SparseConv& conv, const Packing& packing,
                                        const PaddedImage& image) {
  std::int64_t bytes = 0;
  for_each_data_pass(conv, packing, image, [&](const Pass& pass) {
    bytes = std::max(bytes, pass.rows * pass.vectors * float_lanes * 4);
  });
  return std::clamp<std::int64_t>(cached_bytes / bytes, 8, word_filters);
}

// Where everything lies in the workspace.
struct DataWork {
  explicit DataWork(const SparseConv& conv)
      : packing(conv, vectors_of_block(conv)),
        image(conv, packing.pixel),
        winners(conv, filters_of_word(conv, packing, image)) {
    image.add_pool_padding(conv);
    image_at = take((image.rows * image.row_floats + float_lanes) * 4);
    dy_at = take(winners.windows * conv.filters * 4);
    codes_at = take(winners.codes_bytes());
    masks_at = take(winners.mask_bytes());
  }

  Packing packing;
  PaddedImage image;
  WinnerMasks winners;
  std::int64_t image_at, dy_at, codes_at, masks_at, bytes = 0;

 private:
  std::int64_t take(std::int64_t size) {
    return std::exchange(bytes, ceil_div(bytes + size, 64) * 64);
  }
};

// The filters of a mask, each with its dy and its weights.
struct MaskedTerms {
  HWY_INLINE bool next(float& value, const float*& from) {
    if (bits == 0) return false;
    const auto filter = static_cast<std::int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits));
    bits &= bits - 1;
    value = dy[filter];
    from = packed + filter * packed_step;
    return true;
  }
  std::uint64_t bits;
  const float* dy;
  const float* packed;
  std::int64_t packed_step;
};

struct DataSweepArguments {
  const SparseConv& conv;
  const DataWork& work;
  const Pass& pass;
  const std::uint64_t* masks;
  const float* dy;
  const float* packed;
  float* image;  // of the pass, at the pool's first tap

  [[nodiscard]] HWY_INLINE MaskedTerms terms(std::int64_t window, std::int64_t tap) const {
    return {masks[window * work.winners.taps + tap], dy + window * conv.filters, packed,
            work.packing.filter_floats};
  }
};

// Calls visit(window, the patch of its first tap).
template <class Visit>
HWY_INLINE void for_each_window(const DataSweepArguments& a, const Visit& visit) {
  const std::int64_t row_step = a.conv.pool.stride[0] * a.work.image.result_row;
  const std::int64_t column_step = a.conv.pool.stride[1] * a.work.image.result_column;
  for (std::int64_t row = 0; row < a.conv.pooled_height; ++row) {
    for (std::int64_t column = 0; column < a.conv.pooled_width; ++column) {
      visit(row * a.conv.pooled_width + column, a.image + row * row_step + column * column_step);
    }
  }
}

// One pass over all windows, for the filters of a word, tap by tap.
template <int rows, int vectors>
struct DataSweep {
  static void run(const DataSweepArguments& a) {
    const PoolWindow& pool = a.conv.pool;
    for_each_window(a, [&](std::int64_t window, float* patch) HWY_ATTR {
      for (std::int64_t tap = 0; tap < a.work.winners.taps; ++tap) {
        const MaskedTerms terms = a.terms(window, tap);
        if (terms.bits == 0) continue;
        const std::int64_t row = tap / pool.kernel[1], column = tap % pool.kernel[1];
        float* to = patch + row * pool.dilation[0] * a.work.image.result_row +
                    column * pool.dilation[1] * a.work.image.result_column;
        add_terms<rows, vectors>(terms, a.pass.packed_step, to, a.pass.image_step, a.pass.tail);
      }
    });
  }
};

// The same for some rows of a square kernel, several taps of a square window at once.
template <int rows, int kernel, int pool>
struct WindowSweep {
  static constexpr int columns = kernel + pool - 1;

  // Of `pool_rows` rows of the window's taps.
  template <int pool_rows>
  static HWY_NOINLINE void add_taps(const DataSweepArguments& a, std::int64_t window, int first_row,
                                    float* patch) {
    constexpr int patch_rows = rows + pool_rows - 1, sums = patch_rows * columns;
    const Floats d;
    // One pointer a row: with an address for each of its vectors, compilers run out of registers.
    float* row_of[patch_rows];
    row_of[0] = patch + first_row * a.work.image.row_floats;
#pragma GCC unroll 8
    for (int i = 1; i < patch_rows; ++i) row_of[i] = row_of[i - 1] + a.work.image.row_floats;
    hn::Vec<Floats> sum[sums];
#pragma GCC unroll 32
    for (int i = 0; i < sums; ++i) {
      sum[i] = hn::LoadU(d, row_of[i / columns] + i % columns * float_lanes);
    }
#pragma GCC unroll 9
    for (int tap = 0; tap < pool_rows * pool; ++tap) {
      MaskedTerms terms = a.terms(window, first_row * pool + tap);
      float value;
      const float* from;
      while (terms.next(value, from)) {
        const auto factor = hn::Set(d, value);
#pragma GCC unroll 16
        for (int i = 0; i < rows * kernel; ++i) {
          auto& to = sum[(tap / pool + i / kernel) * columns + tap % pool + i % kernel];
          to = hn::MulAdd(factor, hn::LoadU(d, from + i * float_lanes), to);
        }
      }
    }
#pragma GCC unroll 32
    for (int i = 0; i < sums; ++i) {
      hn::StoreU(sum[i], d, row_of[i / columns] + i % columns * float_lanes);
    }
  }

  static void run(const DataSweepArguments& a) {
    constexpr int pool_rows = window_rows(kernel, pool).pool, rest = pool % pool_rows;
    for_each_window(a, [&](std::int64_t window, float* patch) HWY_ATTR {
      for (int row = 0; row + pool_rows <= pool; row += pool_rows) {
        add_taps<pool_rows>(a, window, row, patch);
      }
      if constexpr (rest > 0) add_taps<rest>(a, window, pool - rest, patch);
    });
  }
};

// The kernel's rows of a pass are as many as fit, or what is left over in the last pass.
template <int kernel, int pool>
HWY_INLINE void sweep_windows(const DataSweepArguments& a) {
  constexpr int rows = window_rows(kernel, pool).kernel, rest = rows == 0 ? 0 : kernel % rows;
  if constexpr (rows > 0) {
    if (a.pass.rows == rows) return WindowSweep<rows, kernel, pool>::run(a);
    if constexpr (rest > 0) WindowSweep<rest, kernel, pool>::run(a);
  }
}
HWY_INLINE void sweep_windows(const DataSweepArguments& a) {
  const bool small_pool = a.conv.pool.kernel[0] == smallest_pool;
  switch (a.conv.kernel[0]) {
    case 2:
      return small_pool ? sweep_windows<2, 2>(a) : sweep_windows<2, 3>(a);
    case 3:
      return small_pool ? sweep_windows<3, 2>(a) : sweep_windows<3, 3>(a);
    case 4:
      return small_pool ? sweep_windows<4, 2>(a) : sweep_windows<4, 3>(a);
    default:
      return small_pool ? sweep_windows<5, 2>(a) : sweep_windows<5, 3>(a);
  }
}

// Zeros where the relu before was dead.
struct StoreThroughRelu {
  template <class D>
  HWY_INLINE void operator()(D d, hn::Vec<D> value, std::int64_t at) const {
    const auto dead = hn::Le(hn::LoadU(d, relu_output + at), hn::Zero(d));
    hn::StoreU(hn::IfThenZeroElse(dead, value), d, dx + at);
  }
  const float* relu_output;
  float* dx;
};

// A block of channels without its padding, plane by plane.
HWY_INLINE void store_block(const SparseConv& conv, const PaddedImage& image, std::int64_t channels,
                            const float* from, const float* relu_output, float* dx) {
  // Without columns of padding, rows are one long row.
  const std::int64_t together = image.columns == conv.width ? conv.height : 1;
  for (std::int64_t row = 0; row < conv.height; row += together) {
    const Transpose t{together * conv.width, channels, image.pixel, conv.height * conv.width};
    const float* src = from + (row + image.before[0] + conv.padding[0]) * image.row_floats +
                       (image.before[1] + conv.padding[1]) * image.pixel;
    const std::int64_t to = row * conv.width;
    if (relu_output == nullptr) {
      transpose(t, src, StoreTransposed{dx + to});
    } else {
      transpose(t, src, StoreThroughRelu{relu_output + to, dx + to});
    }
  }
}

HWY_INLINE void add_block(const SparseConv& conv, const DataWork& work, const float* dy,
                          const std::uint64_t* masks, const float* packed, float* image) {
  std::fill_n(image, work.image.rows * work.image.row_floats, 0.0f);
  const bool whole_windows = has_window_sums(conv);
  for_each_data_pass(conv, work.packing, work.image, [&](const Pass& pass) HWY_ATTR {
    for (std::int64_t word = 0; word < work.winners.words; ++word) {
      const std::int64_t filter = word * work.winners.filters_together;
      const DataSweepArguments arguments{
          conv,
          work,
          pass,
          masks + word * work.winners.windows * work.winners.taps,
          dy + filter,
          packed + filter * work.packing.filter_floats + pass.packed_offset,
          image + pass.image_offset};
      whole_windows ? sweep_windows(arguments) : sweep_for<DataSweep>(pass)(arguments);
    }
  });
}

void backward_data(const SparseConv& conv, std::int64_t images, const float* dy,
                   const std::uint8_t* winners, const float* packed, const float* relu_output,
                   char* workspace, float* dx) {
  const DataWork work(conv);
  auto* image = reinterpret_cast<float*>(workspace + work.image_at);
  auto* dy_of_windows = reinterpret_cast<float*>(workspace + work.dy_at);
  auto* codes = reinterpret_cast<std::uint8_t*>(workspace + work.codes_at);
  auto* masks = reinterpret_cast<std::uint64_t*>(workspace + work.masks_at);
  for (std::int64_t i = 0; i < images; ++i) {
    mask_winners(work.winners, dy, winners, codes, masks);
    transpose({conv.filters, work.winners.windows, work.winners.windows, conv.filters}, dy,
              StoreTransposed{dy_of_windows});
    for (std::int64_t block = 0; block < work.packing.blocks; ++block) {
      add_block(conv, work, dy_of_windows, masks, packed + block * work.packing.block_floats,
                image);
      const std::int64_t to = block * work.packing.pixel * conv.height * conv.width;
      store_block(conv, work.image, work.packing.channels_of(block), image,
                  relu_output == nullptr ? nullptr : relu_output + to, dx + to);
    }
    dy += conv.pooled_stride;
    winners += conv.pooled_stride;
    dx += conv.input_stride;
    if (relu_output != nullptr) relu_output += conv.input_stride;
  }
}

void pack_weight(const SparseConv& conv, const float* weight, float* packed) {
  const Packing packing(conv, vectors_of_block(conv));
  const std::int64_t taps = conv.kernel[0] * conv.kernel[1];
  // Taps that all lie side by side are one matrix.
  const bool together = packing.row_floats == conv.kernel[1] * packing.pixel;
  const std::int64_t columns = together ? taps : 1;
  std::fill_n(packed, packing.blocks * packing.block_floats, 0.0f);
  for (std::int64_t block = 0; block < packing.blocks; ++block) {
    for (std::int64_t filter = 0; filter < conv.filters; ++filter) {
      const float* from = weight + (filter * conv.channels + block * packing.pixel) * taps;
      float* to = packed + block * packing.block_floats + filter * packing.filter_floats;
      for (std::int64_t tap = 0; tap < taps; tap += columns) {
        const std::int64_t at = packing.tap(tap / conv.kernel[1], tap % conv.kernel[1]);
        transpose({packing.channels_of(block), columns, taps, packing.pixel}, from + tap,
                  StoreTransposed{to + at});
      }
    }
  }
}

// Measured: a term takes half a cycle for each sum, and 2 beside; a window, for each pass, word and
// block, 1.5 for each vector of its patch and 20 for the ends of its masks; a vector of pixels 8,
// and one of windows 16.
SparseConvCost backward_data_cost(const SparseConv& conv) {
  const DataWork work(conv);
  const bool whole_windows = has_window_sums(conv);
  const std::int64_t pool_rows = conv.pool.kernel[0], pool_columns = conv.pool.kernel[1];
  SparseConvCost cost{};
  for_each_data_pass(conv, work.packing, work.image, [&](const Pass& pass) {
    const std::int64_t sums = pass.rows * pass.vectors;
    const std::int64_t patch = whole_windows
                                   ? (pass.rows + pool_rows - 1) * (pass.vectors + pool_columns - 1)
                                   : sums * work.winners.taps;
    const std::int64_t ends = whole_windows ? 1 : work.winners.taps;
    cost.per_term += 2 + 0.5 * static_cast<double>(sums);
    cost.fixed += static_cast<double>(work.winners.words * work.winners.windows) *
                  (20 * static_cast<double>(ends) + 1.5 * static_cast<double>(patch));
  });
  const auto blocks = static_cast<double>(work.packing.blocks);
  const std::int64_t pixels = work.packing.pixel * conv.height * conv.width;
  return {blocks * (cost.fixed + 8 * static_cast<double>(pixels / float_lanes)) +
              16 * static_cast<double>(conv.filters * work.winners.windows / float_lanes),
          blocks * cost.per_term};
}

std::int64_t weight_size(const SparseConv& conv) {
  const Packing packing(conv, vectors_of_block(conv));
  return packing.blocks * packing.block_floats;
}

std::int64_t backward_data_workspace(const SparseConv& conv) {
  return DataWork(conv).bytes;
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(backward_data);
HWY_EXPORT(pack_weight);
HWY_EXPORT(weight_size);
HWY_EXPORT(backward_data_cost);
HWY_EXPORT(backward_data_workspace);

std::int64_t sparse_conv_weight_size(const SparseConv& conv) {
  return HWY_DYNAMIC_DISPATCH(weight_size)(conv);
}
SparseConvCost sparse_conv_backward_data_cost(const SparseConv& conv) {
  return HWY_DYNAMIC_DISPATCH(backward_data_cost)(conv);
}
void sparse_conv_pack_weight(const SparseConv& conv, const float* weight, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_weight)(conv, weight, packed);
}
std::int64_t sparse_conv_backward_data_workspace(const SparseConv& conv) {
  return HWY_DYNAMIC_DISPATCH(backward_data_workspace)(conv);
}
void sparse_conv_backward_data(const SparseConv& conv, std::int64_t images, const float* dy,
                               const std::uint8_t* winners, const float* packed,
                               const float* relu_output, void* workspace, float* dx) {
  HWY_DYNAMIC_DISPATCH(backward_data)
  (conv, images, dy, winners, packed, relu_output, static_cast<char*>(workspace), dx);
}

}  // namespace backplane::cpu
#endif
