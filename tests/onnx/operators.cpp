// The table of all operators.
#include "operators.hpp"

#include <algorithm>
#include <utility>

namespace onnx_nodes {

const Operators& operators() {
  static const Operators all = [] {
    Operators merged = activations();
    for (auto part : {elementwise, indexing, interpolations, products_and_losses, reductions,
                      shapes, windows}) {
      merged.merge(part());
    }
    return merged;
  }();
  return all;
}

backplane::Tensor permuted(const backplane::Tensor& x, std::vector<std::int64_t> axes) {
  backplane::Tensor result = x;
  std::vector<std::int64_t> order(axes.size());  // of x's axes in the result so far
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = std::find(order.begin(), order.end(), axes[i]);
    result = result.transpose(static_cast<std::int64_t>(i), from - order.begin());
    std::swap(order[i], *from);
  }
  return result;
}

}  // namespace onnx_nodes
