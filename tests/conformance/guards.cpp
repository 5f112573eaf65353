// Tensors whose memory is watched: nothing before, between or behind their elements may change.
#include "guards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "data.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr std::int64_t guard_count = 64;

// Little endian: the last bytes hold sign and exponent. A quiet NaN for floating types.
std::vector<std::byte> guard_pattern(DType dtype) {
  std::vector<std::byte> pattern(size_of(dtype), std::byte{0xA5});
  if (is_floating(dtype)) pattern.back() = std::byte{0xFF};
  const bool wide_exponent = dtype == DType::f64 || dtype == DType::f32 || dtype == DType::bf16;
  if (wide_exponent) pattern[pattern.size() - 2] = std::byte{0xFD};
  return pattern;
}

// Byte offsets of a strided tensor's elements, in row-major order.
std::vector<std::size_t> element_offsets(const Tensor& view, std::int64_t first) {
  const Shape& shape = view.shape();
  const Strides& strides = view.strides();
  std::vector<std::size_t> offsets;
  offsets.reserve(static_cast<std::size_t>(shape.count()));
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    std::int64_t rest = i, element = view.storage_offset() - first;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
      element += rest % shape[axis] * strides[axis];
      rest /= shape[axis];
    }
    offsets.push_back(static_cast<std::size_t>(element) * size_of(view.dtype()));
  }
  return offsets;
}

}  // namespace

GuardedTensor::GuardedTensor(Device device, DType dtype, const Shape& shape, Layout layout)
    : pattern_(guard_pattern(dtype)) {
  const Placement placement = place(layout, shape);
  const std::int64_t inner = placement.memory.count();
  memory_ = empty({guard_count + inner + guard_count}, {.dtype = dtype, .device = device});
  view_ =
      placement.view(memory_.slice(0, guard_count, guard_count + inner).reshape(placement.memory));
  offsets_ = element_offsets(view_, memory_.storage_offset());
  content_.resize(static_cast<std::size_t>(memory_.count()) * size_of(dtype));
}

void GuardedTensor::poison() {
  for (std::size_t i = 0; i < content_.size(); i += pattern_.size()) {
    std::ranges::copy(pattern_, content_.data() + i);
  }
  upload();
}

void GuardedTensor::fill(const Tensor& host) {
  for (std::size_t i = 0; i < content_.size(); i += pattern_.size()) {
    std::ranges::copy(pattern_, content_.data() + i);
  }
  const auto source = host_bytes(host);
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    std::memcpy(content_.data() + offsets_[i], source.data() + i * pattern_.size(),
                pattern_.size());
  }
  upload();
}

void GuardedTensor::upload() {
  const Tensor host = empty(memory_.shape(), {.dtype = memory_.dtype(), .device = Device::host()});
  std::ranges::copy(content_, host_bytes(host).data());
  memory_.copy_from(host);
}

Tensor GuardedTensor::gather(const Bytes& bytes) const {
  const Tensor host = empty(view_.shape(), {.dtype = view_.dtype(), .device = Device::host()});
  std::byte* target = host_bytes(host).data();
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    std::memcpy(target + i * pattern_.size(), bytes.data() + offsets_[i], pattern_.size());
  }
  return host;
}

bool GuardedTensor::is_pattern(const std::byte* element) const {
  return std::memcmp(element, pattern_.data(), pattern_.size()) == 0;
}

std::string GuardedTensor::guard_fault(const Bytes& now) const {
  std::vector<bool> element(now.size() / pattern_.size());
  for (const std::size_t offset : offsets_) element[offset / pattern_.size()] = true;
  const auto first = std::ranges::find(element, true) - element.begin();
  const auto last =
      element.size() - static_cast<std::size_t>(std::find(element.rbegin(), element.rend(), true) -
                                                element.rbegin());
  for (std::size_t i = 0; i < element.size(); ++i) {
    if (element[i] || is_pattern(now.data() + i * pattern_.size())) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    if (at < first)
      return fmt::format("memory was changed {} elements before the first", first - at);
    if (i >= last) return fmt::format("memory was changed {} elements past the last", i - last + 1);
    return "memory between the elements of a strided tensor was changed";
  }
  return "";
}

GuardedTensor::Outcome GuardedTensor::read() const {
  const Tensor host = memory_.copy_to(Device::host());
  const auto span = host_bytes(host);
  const Bytes now(span.begin(), span.end());
  Outcome outcome{.elements = gather(now), .guard_fault = guard_fault(now)};
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    const std::byte* element = now.data() + offsets_[i];
    const auto index = static_cast<std::int64_t>(i);
    if (outcome.first_poisoned < 0 && is_pattern(element)) outcome.first_poisoned = index;
    if (outcome.first_changed < 0 &&
        std::memcmp(element, content_.data() + offsets_[i], pattern_.size()) != 0) {
      outcome.first_changed = index;
    }
  }
  return outcome;
}

}  // namespace conformance
