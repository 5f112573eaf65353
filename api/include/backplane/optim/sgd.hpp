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
  struct ParameterGroup {
    std::vector<Tensor> parameters;
    Options options;
  };

  SGD(std::vector<Tensor> parameters, const Options& options);
  explicit SGD(std::vector<Tensor> parameters) : SGD(std::move(parameters), Options{}) {}
  explicit SGD(const std::vector<ParameterGroup>& groups);

 private:
  void update(const Batch& batch) override;
  [[nodiscard]] Operation operation(std::size_t group, std::int64_t phase,
                                    std::size_t count) const override;
  [[nodiscard]] std::int64_t phase(std::int64_t steps) const override;
  [[nodiscard]] std::vector<Slot> slots() override;

  std::vector<Options> options_;          // of each group
  std::vector<Tensor> momentum_buffers_;  // undefined until a parameter's first step
};

}  // namespace backplane
