// Copies: contiguous, clone, to, copy_to, copy_from, fill.
#include <algorithm>
#include <array>
#include <cstring>

#include "autograd/record.hpp"
#include "backplane/autograd.hpp"
#include "backplane/functional.hpp"
#include "backplane/tensor.hpp"
#include "check.hpp"
#include "device/device_state.hpp"
#include "dispatch/dispatch.hpp"
#include "memory/transfer.hpp"
#include "observe/tell.hpp"
#include "tensor/saturate.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {

using detail::get;
using detail::reject;
using detail::TensorImpl;

namespace detail {
namespace {

// One axis at a time, from the first; the last runs in a loop.
void copy_axis(const TensorImpl& source, const TensorImpl& target, std::size_t axis,
               const char* from, char* to, std::size_t bytes) {
  if (axis == source.shape.rank()) {
    std::memcpy(to, from, bytes);
    return;
  }
  const auto width = static_cast<std::int64_t>(bytes);
  for (std::int64_t i = 0; i < source.shape[axis]; ++i) {
    copy_axis(source, target, axis + 1, from + i * source.strides[axis] * width,
              to + i * target.strides[axis] * width, bytes);
  }
}

}  // namespace

void copy_strided(const TensorImpl& source, const TensorImpl& target) {
  const std::size_t bytes = size_of(source.dtype);
  const char* from = source.storage->host + source.byte_offset();
  char* to = target.storage->host + target.byte_offset();
  if (is_row_major(source.shape, source.strides) && is_row_major(target.shape, target.strides)) {
    std::memcpy(to, from, bytes * static_cast<std::size_t>(source.shape.count()));
  } else {
    copy_axis(source, target, 0, from, to, bytes);
  }
}

namespace {

bool on_host(const Tensor& tensor) {
  return tensor.device().is_host();
}

// A row-major copy on the same device.
Tensor dense_copy(const Tensor& source) {
  Tensor result = empty(source.shape(), {.dtype = source.dtype(), .device = source.device()});
  if (on_host(source)) {
    copy_strided(*source.impl(), *result.impl());
  } else {
    run_in_place(Operation(op::Copy{}), std::array{plain_handle(source)}, std::array{result});
  }
  return result;
}

std::uint64_t bytes_of(const Tensor& tensor) {
  return static_cast<std::uint64_t>(tensor.count()) * size_of(tensor.dtype());
}

// Into row-major memory of another device; by way of the host where two know no shorter one.
void move_into(const Tensor& source, const TensorImpl& target) {
  const Tensor dense = source.is_contiguous() ? source : dense_copy(source);
  const TensorImpl& from = *dense.impl();
  Storage& to = *target.storage;
  const std::uint64_t bytes = bytes_of(source);
  if (on_host(source)) {
    upload(to, target.byte_offset(), *from.storage, from.byte_offset(), bytes);
  } else if (to.device.backend == nullptr) {
    to.await_readers();
    download(*from.storage, from.byte_offset(), to.host + target.byte_offset(), bytes);
  } else if (!copy_peer(to, target.byte_offset(), *from.storage, from.byte_offset(), bytes)) {
    const Tensor staged =
        empty(source.shape(), {.dtype = source.dtype(), .device = Device::host()});
    move_into(dense, *staged.impl());
    upload(to, target.byte_offset(), *staged.impl()->storage, 0, bytes);
    tell_transfer({TransferEvent::Direction::between_devices, source.device(), bytes});
  }
}

// A row-major copy on another device.
Tensor moved_copy(const Tensor& source, Device device) {
  Tensor result = empty(source.shape(), {.dtype = source.dtype(), .device = device});
  move_into(source, *result.impl());
  return result;
}

// Records a copy whose gradient goes back to where the source lies.
Tensor record_copy(const char* name, const Tensor& source, const Tensor& copy) {
  return record(name, {source}, copy, [device = source.device()](const auto& backward) {
    return std::vector{backward.gradient.to(device)};
  });
}

void check_in_place(const TensorImpl& target, std::string_view subject) {
  if (target.node != nullptr || (target.requires_grad && grad_enabled())) {
    reject(
        "{}: a tensor that takes part in a graph can't be changed in place; use no_grad on a "
        "leaf, or detach()",
        subject);
  }
  for (std::size_t axis = 0; axis < target.shape.rank(); ++axis) {
    if (target.strides[axis] == 0 && target.shape[axis] > 1 && target.layout == BP_LAYOUT_STRIDED) {
      reject(
          "{}: the target repeats its elements along axis {} (shape {}, strides {}); change the "
          "tensor that was expanded, or a clone()",
          subject, axis, to_string(target.shape), to_string(target.strides));
    }
  }
}

}  // namespace
}  // namespace detail

Tensor Tensor::contiguous() const {
  return is_contiguous() ? *this : clone();
}

Tensor Tensor::clone() const {
  get(*this, "clone");
  return detail::record_copy("clone", *this, detail::dense_copy(*this));
}

Tensor Tensor::to(Device device) const {
  return this->device() == device ? *this : copy_to(device);
}

Tensor Tensor::copy_to(Device device) const {
  get(*this, "copy_to");
  if (this->device() == device) return clone();
  return detail::record_copy("copy_to", *this, detail::moved_copy(*this, device));
}

void Tensor::copy_from(const Tensor& source) {
  const TensorImpl& target = get(*this, "copy_from");
  const TensorImpl& from = get(source, "copy_from");
  detail::check_in_place(target, "copy_from");
  if (from.shape != target.shape || from.dtype != target.dtype) {
    reject("copy_from: type and shape must match, target {}, source {}; reshape or cast first",
           detail::describe(*this), detail::describe(source));
  }
  if (count() == 0) return;
  if (source.device() != device() && is_contiguous()) {
    detail::move_into(source, target);
    ++target.storage->version;
    return;
  }
  Tensor here =
      source.device() == device() ? source.detach() : detail::moved_copy(source.detach(), device());
  // Two views of one memory may overlap, and then the order of writing would show.
  if (from.storage == target.storage) here = detail::dense_copy(here);
  if (device().is_host()) {
    target.storage->await_readers();
    detail::copy_strided(*here.impl(), target);
    ++target.storage->version;
  } else {
    detail::run_in_place(Operation(op::Copy{}), std::array{here}, std::array{detach()});
  }
}

namespace {

template <class T>
void fill_host(Tensor& dense, double value) {
  std::ranges::fill(dense.data<T>(), detail::saturate<T>(value));
}

}  // namespace

void Tensor::fill(double value) {
  const TensorImpl& target = get(*this, "fill");
  detail::check_in_place(target, "fill");
  if (count() == 0) return;
  if (!device().is_host()) {
    detail::run_in_place(Operation(op::Fill{}, {value}), {}, std::array{detach()});
    return;
  }
  Tensor dense = empty(shape(), {.dtype = dtype(), .device = device()});
  switch (dtype()) {
    case DType::f32:
      fill_host<float>(dense, value);
      break;
    case DType::f64:
      fill_host<double>(dense, value);
      break;
    case DType::i8:
      fill_host<std::int8_t>(dense, value);
      break;
    case DType::u8:
      fill_host<std::uint8_t>(dense, value);
      break;
    case DType::u16:
      fill_host<std::uint16_t>(dense, value);
      break;
    case DType::i32:
      fill_host<std::int32_t>(dense, value);
      break;
    case DType::i64:
      fill_host<std::int64_t>(dense, value);
      break;
    case DType::f16:
    case DType::bf16:
      reject("fill: the host can't write {}; fill on a device, then copy", to_string(dtype()));
  }
  target.storage->await_readers();
  detail::copy_strided(*dense.impl(), target);
  ++target.storage->version;
}

}  // namespace backplane
