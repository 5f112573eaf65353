// Sequential: layers one after another.
#include "backplane/nn/container.hpp"

#include "check.hpp"

namespace backplane {

Sequential::Sequential(const Sequential& other) : LayerOf(other) {
  layers_.reserve(other.layers_.size());
  for (const auto& layer : other.layers_) layers_.push_back(layer->copy());
}

Sequential& Sequential::operator=(const Sequential& other) {
  Sequential copy(other);
  *this = std::move(copy);
  return *this;
}

Layer& Sequential::add(std::unique_ptr<Layer> layer) {
  if (layer == nullptr) {
    detail::reject("Sequential: layer {} is null; add() wants a layer to own", layers_.size());
  }
  return *layers_.emplace_back(std::move(layer));
}

const Layer& Sequential::operator[](std::size_t index) const {
  if (index >= layers_.size()) {
    detail::fail(ErrorCode::out_of_range, "Sequential: index must be below {}, got {}",
                 layers_.size(), index);
  }
  return *layers_[index];
}

Layer& Sequential::operator[](std::size_t index) {
  return const_cast<Layer&>(std::as_const(*this)[index]);
}

Tensor Sequential::forward(const Tensor& x) {
  Tensor value = x;
  for (const auto& layer : layers_) value = (*layer)(value);
  return value;
}

void Sequential::visit(Visitor& visitor) {
  for (std::size_t i = 0; i < layers_.size(); ++i) visitor.child(std::to_string(i), *layers_[i]);
}

}  // namespace backplane
