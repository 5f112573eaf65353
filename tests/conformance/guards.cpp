// Tensors whose memory is watched: nothing before, between or behind their elements may change.
#include "guards.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr std::int64_t guard_count = 64;

// A quiet NaN for floating types.
std::uint64_t guard_pattern(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 0xFFFDA5A5A5A5A5A5u;
    case DType::f32:
      return 0xFFFDA5A5u;
    case DType::bf16:
      return 0xFFFDu;
    case DType::f16:
      return 0xFFA5u;
    default:
      return 0xA5A5A5A5A5A5A5A5u;
  }
}

// Where the elements of a strided tensor are, row-major, counted from element `first` of its
// memory.
std::vector<std::size_t> positions_of(const Tensor& view, std::int64_t first) {
  std::vector<std::size_t> positions{static_cast<std::size_t>(view.storage_offset() - first)};
  for (std::size_t axis = 0; axis < view.shape().rank(); ++axis) {
    const auto size = static_cast<std::size_t>(view.shape()[axis]);
    const auto stride = static_cast<std::size_t>(view.strides()[axis]);
    std::vector<std::size_t> longer;
    longer.reserve(positions.size() * size);
    for (const std::size_t start : positions) {
      for (std::size_t i = 0; i < size; ++i) longer.push_back(start + i * stride);
    }
    positions = std::move(longer);
  }
  return positions;
}

std::vector<std::size_t> others(const std::vector<std::size_t>& positions, std::size_t count) {
  std::vector<bool> taken(count);
  for (const std::size_t at : positions) taken[at] = true;
  std::vector<std::size_t> rest;
  for (std::size_t at = 0; at < count; ++at) {
    if (!taken[at]) rest.push_back(at);
  }
  return rest;
}

// Elements are moved and compared as unsigned words of their width; `use` gets one that says which.
template <class Use>
auto with_word(DType dtype, Use use) {
  switch (size_of(dtype)) {
    case 1:
      return use(std::uint8_t{});
    case 2:
      return use(std::uint16_t{});
    case 4:
      return use(std::uint32_t{});
    default:
      return use(std::uint64_t{});
  }
}

template <class Word>
Word* words(const Tensor& host) {
  return reinterpret_cast<Word*>(host_bytes(host).data());
}

Tensor host_memory(const Tensor& like) {
  return empty(like.shape(), {.dtype = like.dtype(), .device = Device::host()});
}

}  // namespace

GuardedTensor::GuardedTensor(Device device, DType dtype, const Shape& shape, Layout layout)
    : pattern_(guard_pattern(dtype)) {
  const Placement placement = place(layout, shape);
  const std::int64_t inner = placement.memory.count();
  memory_ = empty({guard_count + inner + guard_count}, {.dtype = dtype, .device = device});
  view_ =
      placement.view(memory_.slice(0, guard_count, guard_count + inner).reshape(placement.memory));
  elements_ = positions_of(view_, memory_.storage_offset());
  guards_ = others(elements_, static_cast<std::size_t>(memory_.count()));
}

// Host memory of its own each time: an upload may still read the last one.
void GuardedTensor::poison() {
  content_ = host_memory(memory_);
  with_word(memory_.dtype(), [&]<class Word>(Word) {
    std::fill_n(words<Word>(content_), memory_.count(), static_cast<Word>(pattern_));
  });
  memory_.copy_from(content_);
}

void GuardedTensor::fill(const Tensor& host) {
  content_ = host_memory(memory_);
  with_word(memory_.dtype(), [&]<class Word>(Word) {
    Word* to = words<Word>(content_);
    const Word* from = words<Word>(host);
    for (const std::size_t at : guards_) to[at] = static_cast<Word>(pattern_);
    for (std::size_t i = 0; i < elements_.size(); ++i) to[elements_[i]] = from[i];
  });
  memory_.copy_from(content_);
}

Tensor GuardedTensor::gather(const Tensor& memory) const {
  const Tensor host = host_memory(view_);
  with_word(memory_.dtype(), [&]<class Word>(Word) {
    const Word* from = words<Word>(memory);
    Word* to = words<Word>(host);
    for (std::size_t i = 0; i < elements_.size(); ++i) to[i] = from[elements_[i]];
  });
  return host;
}

std::string GuardedTensor::guard_fault(const Tensor& now) const {
  const auto changed = with_word(memory_.dtype(), [&]<class Word>(Word) {
    return std::ranges::find_if(guards_, [&, found = words<Word>(now)](std::size_t at) {
      return found[at] != static_cast<Word>(pattern_);
    });
  });
  if (changed == guards_.end()) return "";
  const auto count = static_cast<std::size_t>(memory_.count());
  const std::size_t first = elements_.empty() ? count : std::ranges::min(elements_);
  const std::size_t last = elements_.empty() ? 0 : std::ranges::max(elements_);
  if (*changed < first) {
    return fmt::format("memory was changed {} elements before the first", first - *changed);
  }
  if (*changed > last) {
    return fmt::format("memory was changed {} elements past the last", *changed - last);
  }
  return "memory between the elements of a strided tensor was changed";
}

GuardedTensor::Outcome GuardedTensor::read() const {
  const Tensor now = memory_.copy_to(Device::host());
  Outcome outcome{.elements = gather(now), .guard_fault = guard_fault(now)};
  with_word(memory_.dtype(), [&]<class Word>(Word) {
    const Word *found = words<Word>(now), *before = words<Word>(content_);
    const auto first = [&](auto is_so) -> std::int64_t {
      const auto element = std::ranges::find_if(elements_, is_so);
      return element == elements_.end() ? -1 : element - elements_.begin();
    };
    outcome.first_poisoned =
        first([&](std::size_t at) { return found[at] == static_cast<Word>(pattern_); });
    outcome.first_changed = first([&](std::size_t at) { return found[at] != before[at]; });
  });
  return outcome;
}

}  // namespace conformance
