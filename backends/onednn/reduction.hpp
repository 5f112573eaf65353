// Lines over any axes of tensors at any strides, and sums and other folds over them, shared out so
// that the same number of threads gives the same bits.
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

// The axes of a nest from the outside in: outputs, then summed axes, then one summed axis as rows
// and one axis of outputs as columns. Without columns, the rows lie along the smallest stride. An
// axis is summed where operand 1, what the lines are reduced to, has a stride of 0.
struct ReducedLoops {
  using Loop = std::vector<Nest::Axis>;
  using Offsets = std::array<std::int64_t, Nest::max_operands>;

  explicit ReducedLoops(const Nest& nest);

  [[nodiscard]] static std::int64_t size_of(const Loop& loop);
  // Where an index leads in each operand.
  [[nodiscard]] static Offsets offsets_at(const Loop& loop, std::int64_t index);

  Loop outer_outputs, outer_summed;
  Nest::Axis rows{1, {}}, columns{1, {}};
  bool has_columns = false;
};

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
  template <class Fold, class T>
  void run_unit(const T* x, typename Fold::template Of<T>* partial, std::int64_t unit) const;

  ReducedLoops loops_;  // operands: x, sums
  std::int64_t outputs_, slices_ = 1;
  unsigned parts_;
};

template <class Fold, class T>
void Reduction::run_unit(const T* x, typename Fold::template Of<T>* partial,
                         std::int64_t unit) const {
  const auto slice = static_cast<unsigned>(unit % slices_), slices = static_cast<unsigned>(slices_);
  const auto at = ReducedLoops::offsets_at(loops_.outer_outputs, unit / slices_);
  const Nest::Axis& columns = loops_.columns;
  auto* results = partial + slice * outputs_ + at[1];
  std::fill_n(results, columns.size, Fold::template start<T>);
  Share loop{0, ReducedLoops::size_of(loops_.outer_summed)}, rows{0, loops_.rows.size};
  Share& sliced = loop.end > 1 ? loop : rows;
  sliced = share_of(sliced.end, slice, slices);
  for (std::int64_t i = loop.begin; i < loop.end; ++i) {
    const std::int64_t row_stride = loops_.rows.strides[0], count = rows.end - rows.begin;
    const T* src =
        x + at[0] + ReducedLoops::offsets_at(loops_.outer_summed, i)[0] + rows.begin * row_stride;
    if (loops_.has_columns) {
      Fold::add_rows(results, count, columns.size, src, row_stride, columns.strides[0]);
    } else {
      Fold::add_row(*results, count, src, row_stride);
    }
  }
}

template <class Fold, class T>
void Reduction::run(const T* x, typename Fold::template Of<T>* partial) const {
  const std::int64_t units = ReducedLoops::size_of(loops_.outer_outputs) * slices_;
  in_parallel(parts_, [&](unsigned part) {
    const Share mine = share_of(units, part, parts_);
    for (std::int64_t unit = mine.begin; unit < mine.end; ++unit) run_unit<Fold>(x, partial, unit);
  });
}

}  // namespace backplane::onednn
