// The loops that the operands of an element-wise operation share, with as few axes as their strides
// allow: two dense tensors of any rank are one loop.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "backplane/plugin/abi.h"
#include "cpu/plane.h"
#include "parallel.hpp"

namespace backplane::onednn {

class Nest {
 public:
  static constexpr int max_operands = 4;

  // Where an operand's plane starts, and its strides there; all in elements.
  struct Step {
    std::int64_t offset, row_stride, stride;
  };
  using Steps = std::array<Step, max_operands>;

  struct Axis {
    std::int64_t size;
    std::array<std::int64_t, max_operands> strides;
  };

  // Operand 0 decides dims and order: its smallest stride is the innermost loop. The others have
  // equal dims, or 1 where they repeat.
  explicit Nest(std::initializer_list<const bp_tensor_desc*> operands);

  // Makes the axis along which `operand` is contiguous the rows of each plane, where the columns
  // aren't that: a transposed copy then works on planes that both sides can walk.
  void bring_contiguous_to_rows(int operand);

  [[nodiscard]] std::int64_t elements() const { return elements_; }
  [[nodiscard]] std::span<const Axis> axes() const {
    return {axes_.data(), static_cast<std::size_t>(axis_count_)};
  }

  // Calls kernel(Plane, Steps) for the planes that make up this part.
  template <class Kernel>
  void run_part(unsigned part, unsigned parts, const Kernel& kernel) const;

  // All parts, by a team where the work deserves one.
  template <class Kernel>
  void run(std::uint32_t threads, const Kernel& kernel) const {
    if (elements_ == 0) return;
    const unsigned parts = parts_for(elements_, threads);
    in_parallel(parts, [&](unsigned part) { run_part(part, parts, kernel); });
  }

 private:
  // One axis of the block is split off the private layout, and two more make every nest a plane.
  static constexpr int max_axes = BP_MAX_RANK + 3;

  void add_axes(std::initializer_list<const bp_tensor_desc*> operands);
  void merge_axes();

  [[nodiscard]] const Axis& columns() const { return axes_[axis_count_ - 1]; }
  [[nodiscard]] const Axis& rows() const { return axes_[axis_count_ - 2]; }
  [[nodiscard]] Steps steps_at(std::int64_t plane, std::int64_t row, std::int64_t column) const;

  std::array<Axis, max_axes> axes_{};
  int axis_count_ = 0, operand_count_ = 0;
  std::int64_t elements_ = 1;
  bool bypasses_cache_ = false;
};

template <class Kernel>
void Nest::run_part(unsigned part, unsigned parts, const Kernel& kernel) const {
  const std::int64_t row_count = elements_ / columns().size;
  // Too few rows to share: each part takes some columns of all of them.
  const bool by_row = row_count >= parts;
  const Share row = by_row ? share_of(row_count, part, parts) : Share{0, row_count};
  const Share column = by_row ? Share{0, columns().size} : share_of(columns().size, part, parts);
  const std::int64_t count = column.end - column.begin;
  for (std::int64_t at = row.begin; at < row.end && count > 0;) {
    const std::int64_t plane = at / rows().size, first = at % rows().size;
    const std::int64_t here = std::min(rows().size - first, row.end - at);
    kernel(cpu::Plane{here, count, bypasses_cache_}, steps_at(plane, first, column.begin));
    at += here;
  }
}

// One operand's plane as a kernel takes it.
template <class T>
[[nodiscard]] cpu::Strided<T> strided(T* data, const Nest::Step& step) {
  return {data + step.offset, step.row_stride, step.stride};
}

}  // namespace backplane::onednn
