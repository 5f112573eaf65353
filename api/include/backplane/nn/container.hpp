// Sequential: layers one after another.
#pragma once

#include <concepts>
#include <utility>

#include "backplane/nn/layer.hpp"

namespace backplane {

// Owns its layers, which are its children "0", "1", ...:
//   Sequential net{Conv2d(1, 32, {.kernel = 3}), ReLU(), Flatten(), Linear(21632, 10)};
class Sequential : public LayerOf<Sequential> {
 public:
  Sequential() = default;
  template <std::derived_from<Layer>... Layers>
  explicit Sequential(Layers... layers) {
    layers_.reserve(sizeof...(layers));
    (add(std::move(layers)), ...);
  }
  Sequential(const Sequential& other);  // copies each layer, as Layer::copy() does
  Sequential(Sequential&&) = default;
  Sequential& operator=(const Sequential& other);
  Sequential& operator=(Sequential&&) = default;

  // Appends a layer and returns it, now in its place.
  template <std::derived_from<Layer> L>
  L& add(L layer) {
    auto owned = std::make_unique<L>(std::move(layer));
    L& placed = *owned;
    add(std::unique_ptr<Layer>(std::move(owned)));
    return placed;
  }
  Layer& add(std::unique_ptr<Layer> layer);  // Error(invalid_argument) for null

  [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }
  [[nodiscard]] Layer& operator[](std::size_t index);  // Error(out_of_range) from size() on
  [[nodiscard]] const Layer& operator[](std::size_t index) const;

  [[nodiscard]] Tensor forward(const Tensor& x) override;
  void visit(Visitor& visitor) override;

 private:
  std::vector<std::unique_ptr<Layer>> layers_;
};

}  // namespace backplane
