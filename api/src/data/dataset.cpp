// TensorDataset: rows of two host tensors.
#include "backplane/data/dataset.hpp"

#include <cstring>

#include "check.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {

namespace {

Tensor checked(const Tensor& tensor, std::string_view what) {
  if (!tensor.defined()) detail::reject("TensorDataset: {} are undefined", what);
  if (!tensor.device().is_host()) {
    detail::reject("TensorDataset: {} must be on the host, got {}; call cpu() first", what,
                   tensor.device().name());
  }
  if (tensor.rank() == 0) {
    detail::reject("TensorDataset: {} must have a first axis that counts samples, got a scalar",
                   what);
  }
  return tensor.detach().contiguous();
}

char* bytes_of(const Tensor& host) {
  return host.impl()->storage->host + host.impl()->byte_offset();
}

Tensor gather(const Tensor& source, std::span<const std::int64_t> indices) {
  Shape shape = source.shape();
  const std::int64_t samples = shape[0];
  shape[0] = static_cast<std::int64_t>(indices.size());
  Tensor target = empty(shape, {.dtype = source.dtype(), .device = Device::host()});
  if (target.count() == 0) return target;

  const std::size_t row_bytes =
      static_cast<std::size_t>(source.count() / samples) * size_of(source.dtype());
  const char* from = bytes_of(source);
  char* to = bytes_of(target);
  for (const std::int64_t index : indices) {
    std::memcpy(to, from + static_cast<std::size_t>(index) * row_bytes, row_bytes);
    to += row_bytes;
  }
  return target;
}

}  // namespace

TensorDataset::TensorDataset(const Tensor& inputs, const Tensor& targets)
    : inputs_(checked(inputs, "inputs")), targets_(checked(targets, "targets")) {
  if (inputs_.size(0) != targets_.size(0)) {
    detail::reject(
        "TensorDataset: inputs and targets must hold equally many samples, got {} and"
        " {} (inputs {}, targets {})",
        inputs_.size(0), targets_.size(0), to_string(inputs_.shape()), to_string(targets_.shape()));
  }
}

Batch TensorDataset::batch(std::span<const std::int64_t> indices) const {
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= size()) {
      detail::fail(ErrorCode::out_of_range, "TensorDataset: index must be in [0, {}), got {}",
                   size(), index);
    }
  }
  return {.inputs = gather(inputs_, indices),
          .targets = gather(targets_, indices),
          .count = static_cast<std::int64_t>(indices.size())};
}

TensorDataset TensorDataset::subset(std::int64_t count) const {
  if (count < 0 || count > size()) {
    detail::fail(ErrorCode::out_of_range,
                 "TensorDataset: a subset must be of 0 to {} samples, got"
                 " {}",
                 size(), count);
  }
  return {inputs_.slice(0, 0, count), targets_.slice(0, 0, count)};
}

}  // namespace backplane
