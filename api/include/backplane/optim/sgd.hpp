// SGD: stochastic gradient descent with momentum (Sutskever et al. 2013), as PyTorch defines it.
#pragma once

#include "backplane/optim/optimizer.hpp"

namespace backplane {

// g += weight_decay * p; m = momentum * m + (1 - dampening) * g, at first m = g;
// p -= learning_rate * (nesterov ? g + momentum * m : m). Without momentum m is g.
class SGD : public Optimizer {
 public:
  struct Options {
    float learning_rate = 1e-3f;
    float momentum = 0;
    float dampening = 0;
    float weight_decay = 0;
    bool nesterov = false;  // needs momentum, and no dampening
  };

  SGD(std::vector<Tensor> parameters, const Options& options);
  explicit SGD(std::vector<Tensor> parameters) : SGD(std::move(parameters), Options{}) {}

 private:
  void update(const Group& group) override;
  [[nodiscard]] std::int64_t phase(std::int64_t steps) const override;

  Options options_;
  std::vector<Tensor> momentum_buffers_;  // undefined until a parameter's first step
};

}  // namespace backplane
