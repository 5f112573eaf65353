// What a Tensor handle points to: memory, view and autograd state.
#pragma once

#include <memory>
#include <string>

#include "backplane/plan.hpp"
#include "backplane/tensor.hpp"
#include "memory/storage.hpp"

namespace backplane::detail {

struct Node;

struct TensorImpl {
  std::shared_ptr<Storage> storage;
  Shape shape;
  Strides strides;  // all 0 in a private layout
  std::int64_t offset = 0;  // in elements
  DType dtype = DType::f32;
  std::uint32_t layout = BP_LAYOUT_STRIDED;

  bool requires_grad = false;
  std::shared_ptr<Node> node;        // what made it; null for leaves
  std::shared_ptr<TensorImpl> grad;  // of leaves

  [[nodiscard]] DeviceState& device() const { return storage->device; }
  [[nodiscard]] std::uint64_t byte_offset() const {
    return static_cast<std::uint64_t>(offset) * size_of(dtype);
  }
  [[nodiscard]] bp_arg argument() const { return storage->at(byte_offset()); }
  [[nodiscard]] bool differentiable() const { return requires_grad || node != nullptr; }
};

// Error unless defined; `subject` opens the message.
const TensorImpl& get(const Tensor& tensor, std::string_view subject);

// The same memory seen as another shape; outside the graph.
[[nodiscard]] Tensor view_of(const TensorImpl& base, const Shape& shape, const Strides& strides,
                             std::int64_t offset);

// The same view without autograd state.
[[nodiscard]] Tensor plain_handle(const Tensor& tensor);

[[nodiscard]] bool is_row_major(const Shape& shape, const Strides& strides);

// In layout 0: itself, or a reordered copy where the layout is private. Recorded.
[[nodiscard]] Tensor strided(const Tensor& tensor);

// As in "f32[2,3]", for messages.
[[nodiscard]] std::string describe(const Tensor& tensor);

// Copies between host memories of equal type, following the strides of both.
void copy_strided(const TensorImpl& source, const TensorImpl& target);

}  // namespace backplane::detail
