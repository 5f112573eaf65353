// Sums, and other folds, over any axes of a tensor at any strides, shared out so that the same
// number of threads gives the same bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backplane/plugin/abi.h"
#include "check.hpp"
#include "cpu/sum.h"
#include "nest.hpp"
#include "parallel.hpp"

namespace backplane::onednn {

// One x and one y of its dtype, whose dims are 1 along the axes and those of x else.
void check_reduced(const Check& check, const plugin::Request& request, std::uint32_t axes);

// What a reduction does to elements: from which result it starts, and how a row, or rows down their
// columns, join it.
struct Summation {
  template <class T>
  using Of = cpu::SumOf<T>;
  template <class T>
  static constexpr Of<T> start = 0;

  template <class T>
  static void add_row(Of<T>& result, std::int64_t count, const T* src, std::int64_t stride) {
    result += cpu::sum_row(count, src, stride);
  }
  template <class T>
  static void add_rows(Of<T>* results, std::int64_t rows, std::int64_t count, const T* src,
                       std::int64_t row_stride, std::int64_t stride) {
    cpu::sum_columns(rows, count, src, row_stride, stride, results);
  }
};

class Reduction {
 public:
  // `sums` describes the outcome: dim 1 along the summed axes, see layout_of_sums.
  Reduction(const bp_tensor_desc& x, const bp_tensor_desc& sums, std::uint32_t threads);

  // What the sums look like in memory: the dims of y, in the order in which x lies.
  [[nodiscard]] static bp_tensor_desc layout_of_sums(const bp_tensor_desc& x,
                                                     const bp_tensor_desc& y);

  [[nodiscard]] std::int64_t outputs() const { return outputs_; }
  // The summed axes are cut into so many slices, each with partial sums of its own.
  [[nodiscard]] std::int64_t slices() const { return slices_; }

  // Sets partial[slice * outputs() + output] to the result of a slice.
  template <class Fold, class T>
  void run(const T* x, typename Fold::template Of<T>* partial) const;

 private:
  // Axes to count through, and where an index leads: strides[0] in x, strides[1] in the sums.
  using Loop = std::vector<Nest::Axis>;
  struct Offset {
    std::int64_t x, sums;
  };
  [[nodiscard]] static std::int64_t size_of(const Loop& loop);
  [[nodiscard]] static Offset offset_at(const Loop& loop, std::int64_t index);

  template <class Fold, class T>
  void run_unit(const T* x, typename Fold::template Of<T>* partial, std::int64_t unit) const;

  // From the outside in: outputs, then summed axes, then one summed axis as rows and one axis of
  // outputs as columns. Without columns, the rows lie along the smallest stride.
  Loop outer_outputs_, outer_summed_;
  Nest::Axis rows_{1, {}}, columns_{1, {}};
  bool has_columns_ = false;
  std::int64_t outputs_, slices_ = 1;
  unsigned parts_;
};

template <class Fold, class T>
void Reduction::run_unit(const T* x, typename Fold::template Of<T>* partial,
                         std::int64_t unit) const {
  const auto slice = static_cast<unsigned>(unit % slices_), slices = static_cast<unsigned>(slices_);
  const Offset at = offset_at(outer_outputs_, unit / slices_);
  auto* results = partial + slice * outputs_ + at.sums;
  std::fill_n(results, columns_.size, Fold::template start<T>);
  Share loop{0, size_of(outer_summed_)}, rows{0, rows_.size};
  Share& sliced = loop.end > 1 ? loop : rows;
  sliced = share_of(sliced.end, slice, slices);
  for (std::int64_t i = loop.begin; i < loop.end; ++i) {
    const std::int64_t row_stride = rows_.strides[0], count = rows.end - rows.begin;
    const T* src = x + at.x + offset_at(outer_summed_, i).x + rows.begin * row_stride;
    if (has_columns_) {
      Fold::add_rows(results, count, columns_.size, src, row_stride, columns_.strides[0]);
    } else {
      Fold::add_row(*results, count, src, row_stride);
    }
  }
}

template <class Fold, class T>
void Reduction::run(const T* x, typename Fold::template Of<T>* partial) const {
  const std::int64_t units = size_of(outer_outputs_) * slices_;
  in_parallel(parts_, [&](unsigned part) {
    const Share mine = share_of(units, part, parts_);
    for (std::int64_t unit = mine.begin; unit < mine.end; ++unit) run_unit<Fold>(x, partial, unit);
  });
}

}  // namespace backplane::onednn
