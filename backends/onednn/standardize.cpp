// standardize and its gradient, over any axes and in any layout.
//
// Where lines lie side by side (batch_norm in a blocked layout, or with channels last), a few dozen
// are taken together. Others are, too, as many as the cache holds for the next pass over them: the
// pieces of one line lie far apart where its neighbours lie between them.
#include "cpu/standardize.h"

#include <array>
#include <cmath>

#include "backend.hpp"
#include "check.hpp"
#include "cpu/sum.h"
#include "layout.hpp"
#include "plan.hpp"
#include "reduction.hpp"

namespace backplane::onednn {
namespace {

constexpr std::int64_t lines_together = 64;
using Doubles = std::array<double, lines_together>;
using Floats = std::array<float, lines_together>;

// The lines of up to four operands; operand 1 has one element for each line.
class Lines {
 public:
  // Some lines that are computed together, and where each begins; with columns, the first alone.
  struct Block {
    std::array<ReducedLoops::Offsets, lines_together> at;
    std::int64_t lines;
  };

  Lines(const Nest& nest, std::int64_t length, std::uint32_t threads)
      : loops_(nest),
        length_(length),
        parts_(parts_for(nest.elements(), threads)),
        outputs_(ReducedLoops::size_of(loops_.outer_outputs)),
        together_(lines_together) {
    if (loops_.has_columns) return;
    constexpr std::int64_t cached = 64 * 1024;  // elements of one operand
    const std::int64_t of_a_part = (outputs_ + parts_ - 1) / parts_;
    together_ = std::min(cached / std::max<std::int64_t>(length, 1), of_a_part);
    together_ = std::clamp<std::int64_t>(together_, 1, lines_together);
  }

  // Calls body(block) for all blocks, on as many threads as the work deserves.
  template <class Body>
  void for_each_block(const Body& body) const {
    const std::int64_t size = loops_.has_columns ? loops_.columns.size : outputs_;
    const std::int64_t across = (size + together_ - 1) / together_;
    const std::int64_t blocks = loops_.has_columns ? outputs_ * across : across;
    in_parallel(parts_, [&](unsigned part) {
      const Share mine = share_of(blocks, part, parts_);
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        const std::int64_t first = i % across * together_;
        body(block_from(first, std::min(size - first, together_), i / across));
      }
    });
  }

  // Calls body(plane, offsets, line) for all planes of a block, of which `line` is the first, or
  // the only one.
  template <class Body>
  void for_each_plane(const Block& block, const Body& body) const {
    const std::int64_t count = ReducedLoops::size_of(loops_.outer_summed);
    const cpu::Plane plane = loops_.has_columns ? cpu::Plane{loops_.rows.size, block.lines}
                                                : cpu::Plane{1, loops_.rows.size};
    const std::int64_t lines = loops_.has_columns ? 1 : block.lines;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto begin = ReducedLoops::offsets_at(loops_.outer_summed, i);
      for (std::int64_t line = 0; line < lines; ++line) {
        auto at = begin;
        for (std::size_t o = 0; o < at.size(); ++o) at[o] += block.at[line][o];
        body(plane, at, line);
      }
    }
  }

  template <class T>
  [[nodiscard]] cpu::Strided<T> operand(T* data, std::size_t o,
                                        const ReducedLoops::Offsets& at) const {
    if (!loops_.has_columns) return {data + at[o], 0, loops_.rows.strides[o]};
    return {data + at[o], loops_.rows.strides[o], loops_.columns.strides[o]};
  }

  // The element of operand o that belongs to a line of a block.
  template <class T>
  [[nodiscard]] T& of_line(T* data, std::size_t o, const Block& block, std::int64_t line) const {
    return loops_.has_columns ? data[block.at[0][o] + line * loops_.columns.strides[o]]
                              : data[block.at[line][o]];
  }

  [[nodiscard]] std::int64_t step() const { return loops_.has_columns ? 1 : 0; }
  [[nodiscard]] double length() const { return static_cast<double>(length_); }

 private:
  [[nodiscard]] Block block_from(std::int64_t first, std::int64_t lines, std::int64_t outer) const {
    Block block;
    block.lines = lines;
    if (loops_.has_columns) {
      block.at[0] = ReducedLoops::offsets_at(loops_.outer_outputs, outer);
      for (std::size_t o = 0; o < block.at[0].size(); ++o) {
        block.at[0][o] += first * loops_.columns.strides[o];
      }
      return block;
    }
    for (std::int64_t line = 0; line < lines; ++line) {
      block.at[line] = ReducedLoops::offsets_at(loops_.outer_outputs, first + line);
    }
    return block;
  }

  ReducedLoops loops_;
  std::int64_t length_;
  unsigned parts_;
  std::int64_t outputs_, together_;
};

float factor_of(double variance, float epsilon) {
  return static_cast<float>(1 / std::sqrt(variance + static_cast<double>(epsilon)));
}

struct Forward {
  Lines lines;  // y, mean, x, variance
  float epsilon;

  void operator()(const plugin::HostRun& run) const {
    lines.for_each_block([&](const Lines::Block& block) { standardize(run, block); });
  }

  void standardize(const plugin::HostRun& run, const Lines::Block& block) const {
    const float* x = run.input<float>(0);
    Doubles sums{}, squares{};
    Floats means{}, factors{};
    lines.for_each_plane(block,
                         [&](cpu::Plane plane, const ReducedLoops::Offsets& at, std::int64_t line) {
                           const auto src = lines.operand(x, 2, at);
                           if (lines.step() == 0) {
                             sums[line] += cpu::sum_row(plane.count, src.data, src.stride);
                           } else {
                             cpu::sum_columns(plane.rows, plane.count, src.data, src.row_stride,
                                              src.stride, sums.data());
                           }
                         });
    for (std::int64_t i = 0; i < block.lines; ++i) {
      means[i] = static_cast<float>(sums[i] / lines.length());
      lines.of_line(run.output<float>(1), 1, block, i) = means[i];
    }
    lines.for_each_plane(block, [&](cpu::Plane plane, const ReducedLoops::Offsets& at,
                                    std::int64_t line) {
      cpu::add_squares(plane, lines.operand(x, 2, at), lines.step(), &means[line], &squares[line]);
    });
    for (std::int64_t i = 0; i < block.lines; ++i) {
      const double variance = squares[i] / lines.length();
      factors[i] = factor_of(variance, epsilon);
      lines.of_line(run.output<float>(2), 3, block, i) = static_cast<float>(variance);
    }
    lines.for_each_plane(
        block, [&](cpu::Plane plane, const ReducedLoops::Offsets& at, std::int64_t line) {
          cpu::standardize(plane, lines.operand(x, 2, at), lines.step(), &means[line],
                           &factors[line], lines.operand(run.output<float>(0), 0, at));
        });
  }
};

struct Backward {
  Lines lines;  // dx, variance, dy, y
  float epsilon;

  void operator()(const plugin::HostRun& run) const {
    lines.for_each_block([&](const Lines::Block& block) { standardize_backward(run, block); });
  }

  void standardize_backward(const plugin::HostRun& run, const Lines::Block& block) const {
    const float *dy = run.input<float>(0), *y = run.input<float>(1);
    Doubles sums{}, products{};
    Floats means{}, mean_products{}, factors{};
    lines.for_each_plane(
        block, [&](cpu::Plane plane, const ReducedLoops::Offsets& at, std::int64_t line) {
          cpu::add_products(plane, lines.operand(dy, 2, at), lines.operand(y, 3, at), lines.step(),
                            &sums[line], &products[line]);
        });
    for (std::int64_t i = 0; i < block.lines; ++i) {
      means[i] = static_cast<float>(sums[i] / lines.length());
      mean_products[i] = static_cast<float>(products[i] / lines.length());
      factors[i] =
          factor_of(static_cast<double>(lines.of_line(run.input<float>(2), 1, block, i)), epsilon);
    }
    lines.for_each_plane(
        block, [&](cpu::Plane plane, const ReducedLoops::Offsets& at, std::int64_t line) {
          cpu::standardize_backward(plane, lines.operand(dy, 2, at), lines.operand(y, 3, at),
                                    lines.step(), &means[line], &mean_products[line],
                                    &factors[line], lines.operand(run.output<float>(0), 0, at));
        });
  }
};

// Elements of a line; `statistic` must have the dims of one.
std::int64_t check_lines(const Check& check, const op::StandardizeParams& params,
                         const bp_tensor_desc& x, const bp_tensor_desc& statistic,
                         const char* what) {
  check.that(params.epsilon >= 0, "epsilon is a number from 0 on");
  check.that((params.axes >> x.rank) == 0, "no axis is beyond the rank of " + describe(x));
  check.dtype(statistic, what, {BP_F32});
  bp_tensor_desc lines = x;
  std::int64_t length = 1;
  for (std::uint32_t axis = 0; axis < x.rank; ++axis) {
    if ((params.axes >> axis & 1) == 0) continue;
    lines.dims[axis] = 1;
    length *= x.dims[axis];
  }
  check.same_dims(statistic, what, lines);
  return length;
}

// What lies in a private layout mixes with none but the same: one dense layout for all.
void settle(bp_tensor_desc& output, std::initializer_list<bp_tensor_desc*> inputs) {
  if (output.layout == BP_LAYOUT_ANY) set_like(output, **inputs.begin());
  for (bp_tensor_desc* input : inputs) {
    if (!same_layout(*input, output) && is_dense(output)) set_like(*input, output);
    if (block_of(*input) != block_of(output)) set_like(*input, output);
  }
}

// A statistic is plain: it is small, and outlives the operation.
void settle_statistic(bp_tensor_desc& statistic) {
  if (statistic.layout != BP_LAYOUT_STRIDED) set_row_major(statistic);
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Standardize& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Standardize>, request);
  check.inputs(1, 1);
  check.outputs(3, 3);
  bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  bp_tensor_desc &mean = request.outputs[1], &variance = request.outputs[2];
  check.dtype(x, "x", {BP_F32});
  check.dtype(y, "y", {BP_F32});
  check.same_dims(y, "y", x);
  const std::int64_t length = check_lines(check, op, x, mean, "mean");
  check_lines(check, op, x, variance, "variance");
  settle(y, {&x});
  settle_statistic(mean);
  settle_statistic(variance);
  request.implementation = "vector loop";
  const Lines lines(Nest({&y, &mean, &x, &variance}), length, request.threads);
  return make_plan(request, Forward{lines, op.epsilon});
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::StandardizeBackward& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::StandardizeBackward>, request);
  check.inputs(3, 3);
  check.outputs(1, 1);
  bp_tensor_desc &dy = request.inputs[0], &y = request.inputs[1], &variance = request.inputs[2];
  bp_tensor_desc& dx = request.outputs[0];
  check.dtype(dy, "dy", {BP_F32});
  check.dtype(y, "y", {BP_F32});
  check.dtype(dx, "dx", {BP_F32});
  check.same_dims(dy, "dy", dx);
  check.same_dims(y, "y", dx);
  const std::int64_t length = check_lines(check, op, dx, variance, "variance");
  settle(dx, {&y, &dy});
  set_row_major(variance);  // strides tell lines apart, so none may be 0
  request.implementation = "vector loop";
  const Lines lines(Nest({&dx, &variance, &dy, &y}), length, request.threads);
  return make_plan(request, Backward{lines, op.epsilon});
}

}  // namespace backplane::onednn
