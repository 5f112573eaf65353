// Tensor: a cheap handle on a typed, strided view of device memory.
#pragma once

#include <concepts>
#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

#include "backplane/device.hpp"
#include "backplane/dtype.hpp"
#include "backplane/stream.hpp"

namespace backplane {

namespace detail {
struct TensorImpl;
}

struct TensorOptions {
  DType dtype = DType::f32;
  Device device = default_device();
  bool requires_grad = false;
};

// Copying a Tensor copies the handle; clone() copies data. A default-constructed one is undefined.
class Tensor {
 public:
  Tensor() = default;

  [[nodiscard]] bool defined() const noexcept { return impl_ != nullptr; }
  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] const Strides& strides() const;
  [[nodiscard]] std::int64_t size(std::int64_t axis) const;  // negative: from the end
  [[nodiscard]] std::size_t rank() const { return shape().rank(); }
  [[nodiscard]] std::int64_t count() const { return shape().count(); }
  [[nodiscard]] DType dtype() const;
  [[nodiscard]] Device device() const;
  [[nodiscard]] bool is_contiguous() const;  // row-major without gaps

  // Views share memory. In a private layout they reorder first.
  [[nodiscard]] Tensor reshape(const Shape& shape) const;  // one -1 is inferred; copies if it must
  [[nodiscard]] Tensor flatten(std::int64_t first = 0, std::int64_t last = -1) const;
  [[nodiscard]] Tensor permute(std::initializer_list<std::int64_t> axes) const;
  [[nodiscard]] Tensor transpose(std::int64_t a, std::int64_t b) const;
  // Elements [begin, end) of an axis; Error(out_of_range) outside.
  [[nodiscard]] Tensor slice(std::int64_t axis, std::int64_t begin, std::int64_t end,
                             std::int64_t step = 1) const;
  [[nodiscard]] Tensor expand(const Shape& shape) const;  // sizes of 1 repeat, by NumPy's rules

  [[nodiscard]] Tensor contiguous() const;  // itself if it is already
  [[nodiscard]] Tensor clone() const;       // own memory, row-major
  [[nodiscard]] Tensor detach() const;      // same memory, outside the graph

  // To another device (itself if it is there). From a device to the host waits for the stream.
  [[nodiscard]] Tensor to(Device device) const;
  [[nodiscard]] Tensor copy_to(Device device) const;  // always a copy
  [[nodiscard]] Tensor cpu() const { return to(Device::host()); }  // where the program can read it

  // Overwrites this tensor's elements; shapes and types must match, devices may differ. Only under
  // no_grad or on tensors that need no gradient.
  void copy_from(const Tensor& source);
  void fill(double value);

  // The elements of a contiguous host tensor, in place. Error(invalid_argument) on a device tensor
  // (call cpu() first), for another type, or if not contiguous. To write, ask anew after each to():
  // a device may still be reading pinned memory, and this waits until it has.
  template <class T>
  [[nodiscard]] std::span<T> data() {
    return {static_cast<T*>(writable_host_data(dtype_of<T>)), static_cast<std::size_t>(count())};
  }
  template <class T>
  [[nodiscard]] std::span<const T> data() const {
    return {static_cast<const T*>(host_data(dtype_of<T>)), static_cast<std::size_t>(count())};
  }
  // The single element, converted; waits for the stream. Error(invalid_argument) for more elements.
  template <class T = float>
  [[nodiscard]] T item() const {
    if constexpr (std::integral<T>) return static_cast<T>(item_integer());
    else return static_cast<T>(item_double());
  }
  template <class T>
  [[nodiscard]] std::vector<T> to_vector() const {  // row-major, from any device
    const Tensor here = cpu().contiguous();
    const auto view = here.template data<T>();
    return {view.begin(), view.end()};
  }

  [[nodiscard]] bool requires_grad() const;
  Tensor& set_requires_grad(bool value = true);  // leaves of floating type only
  [[nodiscard]] bool is_leaf() const;
  [[nodiscard]] Tensor grad() const;             // undefined before a backward pass
  void set_grad(const Tensor& grad);             // undefined drops it
  // Gradients of this scalar for every leaf it depends on, added to their grad().
  void backward() const;

  [[nodiscard]] void* native_handle() const;     // of the memory block
  [[nodiscard]] std::int64_t storage_offset() const;  // in elements, from the block's start

  explicit Tensor(std::shared_ptr<detail::TensorImpl> impl) noexcept : impl_(std::move(impl)) {}
  [[nodiscard]] const std::shared_ptr<detail::TensorImpl>& impl() const noexcept { return impl_; }

 private:
  [[nodiscard]] void* host_data(DType type) const;
  [[nodiscard]] void* writable_host_data(DType type);
  [[nodiscard]] double item_double() const;
  [[nodiscard]] std::int64_t item_integer() const;

  std::shared_ptr<detail::TensorImpl> impl_;
};

[[nodiscard]] Tensor empty(const Shape& shape, const TensorOptions& options = {});
[[nodiscard]] Tensor zeros(const Shape& shape, const TensorOptions& options = {});
[[nodiscard]] Tensor ones(const Shape& shape, const TensorOptions& options = {});
[[nodiscard]] Tensor full(const Shape& shape, double value, const TensorOptions& options = {});
// Draws from the generator of random.hpp: [low, high), and a normal distribution.
[[nodiscard]] Tensor uniform(const Shape& shape, float low, float high,
                             const TensorOptions& options = {});
[[nodiscard]] Tensor normal(const Shape& shape, float mean, float deviation,
                            const TensorOptions& options = {});
// Copies the values; their count must be the shape's. The type of T, whatever options say.
template <class T>
[[nodiscard]] Tensor tensor(std::span<const T> values, const Shape& shape,
                            const TensorOptions& options = {});
template <class T>
[[nodiscard]] Tensor tensor(const std::vector<T>& values, const Shape& shape,
                            const TensorOptions& options = {}) {
  return tensor(std::span<const T>(values), shape, options);
}
// Values as f32 of shape [count].
[[nodiscard]] Tensor tensor(std::initializer_list<float> values, const TensorOptions& options = {});

// As in "f32[2,3] on onednn:0" and, for small tensors, the values.
[[nodiscard]] std::string to_string(const Tensor& tensor);
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace backplane
