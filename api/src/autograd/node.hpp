// One recorded operation: what backward needs to know of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backplane/stream.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane::detail {

// Where the gradient of one input goes: into a leaf, to the operation that made it, or nowhere.
struct Edge {
  std::shared_ptr<Node> node;
  std::shared_ptr<TensorImpl> leaf;
  [[nodiscard]] bool wanted() const { return node != nullptr || leaf != nullptr; }
};

// What a gradient function is given.
struct BackwardCall {
  const Tensor& gradient;          // of the operation's result
  const std::vector<Edge>& edges;  // one for each input
  [[nodiscard]] bool needs(std::size_t input) const { return edges[input].wanted(); }
};

// One gradient for each input; undefined where none is needed.
using GradientFunction = std::function<std::vector<Tensor>(const BackwardCall&)>;

// The operation whose gradient this thread computes, as in "matmul"; null outside of backward.
[[nodiscard]] const char*& backward_of() noexcept;

// Every operation has one differentiable result.
struct Node {
  Node() = default;
  ~Node();  // takes long chains apart without recursion
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const char* name = "";
  std::uint64_t number = 0;  // grows in recording order
  std::vector<Edge> edges;
  GradientFunction function;  // empty once released
  std::shared_ptr<StreamState> stream;  // that forward ran on; null on the host
  std::optional<DType> autocast;        // of forward, and so of backward
};

// A tensor that backward needs, as it was: a change in place since is an Error.
class SavedTensor {
 public:
  explicit SavedTensor(const Tensor& tensor);
  [[nodiscard]] const Tensor& get(const char* user) const;

 private:
  Tensor tensor_;  // outside the graph, so that no cycle arises
  std::uint64_t version_ = 0;
};

}  // namespace backplane::detail
