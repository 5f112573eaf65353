// Reverse-mode differentiation: what is recorded, and how it is played back.
#pragma once

#include "backplane/tensor.hpp"

namespace backplane {

struct BackwardOptions {
  bool retain_graph = false;  // keep what forward saved, for a second pass
  bool create_graph = false;  // gradients of gradients: not in 1.0, an Error that says so
};

// Adds the gradients of `root` to the grad() of every leaf it depends on. `gradient` is that of the
// final loss with respect to root; it may be left undefined for a root of one element. Runs on the
// stream that forward ran on. Error(invalid_argument) if root needs no gradient, if the graph was
// already released, or if a saved tensor was changed in place since.
void backward(const Tensor& root, const Tensor& gradient = {}, const BackwardOptions& options = {});

[[nodiscard]] bool grad_enabled() noexcept;  // per thread

// Nothing is recorded on this thread while one lives.
class NoGradGuard {
 public:
  NoGradGuard() noexcept;
  ~NoGradGuard();
  NoGradGuard(const NoGradGuard&) = delete;
  NoGradGuard& operator=(const NoGradGuard&) = delete;

 private:
  bool previous_;
};

template <class Body>
decltype(auto) no_grad(Body&& body) {
  const NoGradGuard guard;
  return body();
}

}  // namespace backplane
