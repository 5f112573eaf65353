// Batches in memory from which a device reads by itself.
#include "data/pinned_batch.hpp"

#include "device/device_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane::detail {
namespace {

Tensor pinned_copy(const Tensor& source, DeviceState& device) {
  const TensorImpl& from = *source.impl();
  const auto bytes = static_cast<std::uint64_t>(source.count()) * size_of(from.dtype);
  std::shared_ptr<PinnedBlock> block = device.pinned.take(bytes);
  if (block == nullptr) return source;
  auto impl = std::make_shared<TensorImpl>();
  impl->storage = std::make_shared<Storage>(std::move(block), bytes);
  impl->shape = from.shape;
  impl->strides = row_major(from.shape);
  impl->dtype = from.dtype;
  copy_strided(from, *impl);
  return Tensor(std::move(impl));
}

}  // namespace

Batch pinned_batch(Batch batch, Device device) {
  batch.inputs = pinned_copy(batch.inputs, device.state());
  batch.targets = pinned_copy(batch.targets, device.state());
  return batch;
}

}  // namespace backplane::detail
