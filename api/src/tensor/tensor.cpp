// Tensor handles: what they are, and reading them on the host.
#include "backplane/tensor.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "autograd/node.hpp"
#include "backplane/autograd.hpp"
#include "backplane/functional.hpp"
#include "check.hpp"
#include "compile/recording.hpp"
#include "device/device_state.hpp"
#include "memory/transfer.hpp"
#include "tensor/saturate.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {

using detail::get;
using detail::reject;

namespace detail {

const TensorImpl& get(const Tensor& tensor, std::string_view subject) {
  if (!tensor.defined()) reject("{}: the tensor is undefined; give it a value first", subject);
  return *tensor.impl();
}

Tensor view_of(const TensorImpl& base, const Shape& shape, const Strides& strides,
               std::int64_t offset) {
  auto impl = std::make_shared<TensorImpl>();
  impl->storage = base.storage;
  impl->shape = shape;
  impl->strides = strides;
  impl->offset = offset;
  impl->dtype = base.dtype;
  impl->layout = base.layout;
  return Tensor(std::move(impl));
}

Tensor plain_handle(const Tensor& tensor) {
  const TensorImpl& impl = get(tensor, "tensor");
  if (!impl.differentiable()) return tensor;
  return view_of(impl, impl.shape, impl.strides, impl.offset);
}

bool is_row_major(const Shape& shape, const Strides& strides) {
  if (shape.count() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    if (strides[axis] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

std::string describe(const Tensor& tensor) {
  const TensorImpl& impl = get(tensor, "tensor");
  return fmt::format("{}{}", to_string(impl.dtype), to_string(impl.shape));
}

}  // namespace detail

const Shape& Tensor::shape() const { return get(*this, "shape").shape; }
const Strides& Tensor::strides() const { return get(*this, "strides").strides; }
DType Tensor::dtype() const { return get(*this, "dtype").dtype; }
Device Tensor::device() const { return Device(&get(*this, "device").device()); }
std::int64_t Tensor::size(std::int64_t axis) const {
  return shape()[shape().axis(axis, "size")];
}

bool Tensor::is_contiguous() const {
  const detail::TensorImpl& impl = get(*this, "is_contiguous");
  return impl.layout == BP_LAYOUT_STRIDED && detail::is_row_major(impl.shape, impl.strides);
}

Tensor Tensor::detach() const {
  const detail::TensorImpl& impl = get(*this, "detach");
  return detail::view_of(impl, impl.shape, impl.strides, impl.offset);
}

bool Tensor::requires_grad() const { return get(*this, "requires_grad").differentiable(); }
bool Tensor::is_leaf() const { return get(*this, "is_leaf").node == nullptr; }

Tensor& Tensor::set_requires_grad(bool value) {
  const detail::TensorImpl& impl = get(*this, "set_requires_grad");
  if (impl.node != nullptr) {
    reject("set_requires_grad: only leaves can be set, this tensor is the result of {}; detach() it",
           impl.node->name);
  }
  if (value && !is_floating(impl.dtype)) {
    reject("set_requires_grad: only floating types have gradients, this is {}; cast it",
           to_string(impl.dtype));
  }
  impl_->requires_grad = value;
  if (value) impl.storage->holds_parameter = true;
  return *this;
}

Tensor Tensor::grad() const { return Tensor(get(*this, "grad").grad); }

void Tensor::set_grad(const Tensor& grad) {
  const detail::TensorImpl& impl = get(*this, "set_grad");
  if (grad.defined() && (grad.shape() != impl.shape || grad.dtype() != impl.dtype ||
                         grad.device() != device())) {
    reject("set_grad: a gradient has the tensor's type, shape and device: {} on {}, given {} on {}",
           detail::describe(*this), device().name(), detail::describe(grad),
           grad.device().name());
  }
  if (detail::Recording* recording = detail::current_recording()) {
    recording->note_set_gradient(impl_);
  }
  // Memory of its own layout: backward adds to it in place.
  impl_->grad = grad.defined() ? grad.detach().contiguous().impl() : nullptr;
}

void Tensor::backward() const { backplane::backward(*this); }

void* Tensor::native_handle() const {
  return detail::native_handle(*get(*this, "native_handle").storage);
}

std::int64_t Tensor::storage_offset() const {
  const detail::TensorImpl& impl = get(*this, "storage_offset");
  const auto block = static_cast<std::int64_t>(impl.storage->block_offset / size_of(impl.dtype));
  return block + impl.offset;
}

void* Tensor::writable_host_data(DType type) {
  void* data = host_data(type);
  impl_->storage->await_readers();
  return data;
}

void* Tensor::host_data(DType type) const {
  const detail::TensorImpl& impl = get(*this, "data");
  if (impl.device().backend != nullptr) {
    reject("data: the program can't read {} on {}; call cpu() first", detail::describe(*this),
           impl.device().name);
  }
  if (impl.dtype != type) {
    reject("data: the elements are {}, read as {}; use the tensor's type or cast()",
           to_string(impl.dtype), to_string(type));
  }
  if (!is_contiguous()) {
    reject("data: the elements of {} with strides {} don't lie in a row; call contiguous() first",
           detail::describe(*this), to_string(impl.strides));
  }
  return impl.storage->host + impl.byte_offset();
}

namespace {

float half_to_float(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

// The bytes of one element as both number types.
struct Scalar {
  double real;
  std::int64_t integer;
};

template <class T>
Scalar read_as(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (std::integral<T>) return {static_cast<double>(value), value};
  else return {value, detail::saturate<std::int64_t>(value)};
}

Scalar read_scalar(const Tensor& tensor) {
  const detail::TensorImpl& impl = get(tensor, "item");
  if (tensor.count() != 1) {
    reject("item: expects one element, the tensor is {}; reduce or slice it first",
           detail::describe(tensor));
  }
  const Tensor here = detail::strided(tensor.detach());
  std::byte bytes[8] = {};
  detail::download(*here.impl()->storage, here.impl()->byte_offset(), bytes, size_of(impl.dtype));
  std::uint16_t half = 0;
  std::memcpy(&half, bytes, sizeof half);
  switch (impl.dtype) {
    case DType::f32: return read_as<float>(bytes);
    case DType::f64: return read_as<double>(bytes);
    case DType::i8: return read_as<std::int8_t>(bytes);
    case DType::u8: return read_as<std::uint8_t>(bytes);
    case DType::u16: return read_as<std::uint16_t>(bytes);
    case DType::i32: return read_as<std::int32_t>(bytes);
    case DType::i64: return read_as<std::int64_t>(bytes);
    case DType::f16: {
      const float value = half_to_float(half);
      return {value, detail::saturate<std::int64_t>(value)};
    }
    case DType::bf16: {
      const float value = std::bit_cast<float>(std::uint32_t{half} << 16);
      return {value, detail::saturate<std::int64_t>(value)};
    }
  }
  reject("item: unknown element type");
}

}  // namespace

double Tensor::item_double() const { return read_scalar(*this).real; }
std::int64_t Tensor::item_integer() const { return read_scalar(*this).integer; }

}  // namespace backplane
