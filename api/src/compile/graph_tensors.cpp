// Tensors of a graph that exist by themselves.
#include "compile/graph_tensors.hpp"

#include "tensor/tensor_impl.hpp"

namespace backplane::detail {

bool is_constant(const Graph& graph, const GraphUses& uses, const GraphValue& value) {
  if (graph.storages[value.storage].kind != GraphStorage::Kind::outside) return false;
  // A storage that was internal when the uses were counted has been folded since.
  const std::vector<int>& writes = uses.writes[value.storage];
  return writes.empty() || uses.was_internal[value.storage];
}

Tensor tensor_of(const Graph& graph, const GraphValue& value) {
  auto impl = std::make_shared<TensorImpl>();
  impl->storage = graph.storages[value.storage].memory;
  impl->shape = value.spec.shape;
  impl->strides = value.spec.strides;
  impl->dtype = value.spec.dtype;
  impl->layout = value.spec.layout;
  impl->offset = static_cast<std::int64_t>(value.offset / size_of(value.spec.dtype));
  return Tensor(std::move(impl));
}

GraphValue add_constant(Graph& graph, const Tensor& tensor) {
  const TensorImpl& impl = *tensor.impl();
  GraphStorage storage{
      .kind = GraphStorage::Kind::outside, .bytes = impl.storage->bytes, .memory = impl.storage};
  return {graph.add_storage(std::move(storage)), impl.byte_offset(), spec_of(tensor)};
}

}  // namespace backplane::detail
