// Who is told of every layer that this thread runs.
#pragma once

#include <functional>

#include "backplane/nn/layer.hpp"

namespace backplane::detail {

// Called with a layer and what its forward gave.
using LayerWatch = std::function<void(const Layer&, const Tensor&)>;

// Null: nobody.
[[nodiscard]] const LayerWatch*& layer_watch() noexcept;

}  // namespace backplane::detail
