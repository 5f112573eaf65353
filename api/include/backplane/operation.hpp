// An operation as a value: which one, its parameters, and the scalars of one run.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "backplane/plugin/ops.hpp"

namespace backplane {

// No parameters, or no scalars.
struct Nothing {};

// Made from a struct of plugin/ops.hpp: Operation(op::Relu{}), or Operation(op::Dropout{0.5f},
// scalars) where the struct has Scalars. This is what dispatch, Plan and observers pass around.
class Operation {
 public:
  static constexpr std::size_t capacity = 80;  // bytes of parameters, and of scalars

  // An operation that a plug-in knows by this name and plugin/ops.hpp doesn't. Parameters and
  // scalars are plain structs that program and plug-in agree on; parameters of 32-bit fields only,
  // since their bytes are compared. run_operation() runs it.
  template <class Params = Nothing, class Scalars = Nothing>
  [[nodiscard]] static Operation named(std::string_view name, const Params& params = {},
                                       const Scalars& scalars = {}) {
    Operation operation(named_row(name));
    operation.store(params, operation.params_, operation.params_size_);
    operation.store(scalars, operation.scalars_, operation.scalars_size_);
    return operation;
  }

  template <class Op>
    requires(op::row_of<Op>.id != 0)
  explicit Operation(const Op& op) : row_(&op::row_of<Op>) {
    store(op, params_, params_size_);
  }
  template <class Op>
  Operation(const Op& op, const typename Op::Scalars& scalars) : Operation(op) {
    store(scalars, scalars_, scalars_size_);
  }

  [[nodiscard]] const op::Row& row() const noexcept { return *row_; }
  [[nodiscard]] std::string_view name() const noexcept { return row_->name; }
  [[nodiscard]] std::span<const std::byte> params() const noexcept {
    return {params_.data(), params_size_};
  }
  [[nodiscard]] std::span<const std::byte> scalars() const noexcept {
    return {scalars_.data(), scalars_size_};
  }
  // The same operation with other scalars, as many bytes as scalars() has.
  [[nodiscard]] Operation with_scalars(std::span<const std::byte> scalars) const {
    Operation other = *this;
    std::memcpy(other.scalars_.data(), scalars.data(), scalars_size_);
    return other;
  }
  // The struct it was made from; null for another one.
  template <class Op>
  [[nodiscard]] const Op* as() const noexcept {
    return row_->id == op::row_of<Op>.id ? reinterpret_cast<const Op*>(params_.data()) : nullptr;
  }

 private:
  explicit Operation(const op::Row& row) : row_(&row) {}
  // The row of a name, the same one each time; it stays until the process ends. Error for a name
  // that is empty or one of ops.hpp.
  static const op::Row& named_row(std::string_view name);

  using Bytes = std::array<std::byte, capacity>;
  template <class T>
  static void store(const T& value, Bytes& bytes, std::size_t& size) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= capacity);
    size = std::is_empty_v<T> ? 0 : sizeof(T);
    std::memcpy(bytes.data(), &value, size);
  }

  const op::Row* row_;
  std::size_t params_size_ = 0, scalars_size_ = 0;
  alignas(8) Bytes params_{};
  alignas(8) Bytes scalars_{};
};

}  // namespace backplane
