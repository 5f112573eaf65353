// RMSprop: steps scaled by a running mean of the squared gradient (Tieleman and Hinton 2012), as
// PyTorch defines it.
#pragma once

#include "backplane/optim/optimizer.hpp"

namespace backplane {

// g += weight_decay * p; v = alpha v + (1 - alpha) g^2; d = g / (sqrt(v) + epsilon);
// m = momentum * m + d; p -= learning_rate * m. Without momentum m is d. `centered` takes the
// square of a = alpha a + (1 - alpha) g off v in d (Graves 2013).
class RMSprop : public Optimizer {
 public:
  struct Options {
    float learning_rate = 1e-2f;
    float alpha = 0.99f;
    float epsilon = 1e-8f;
    float weight_decay = 0;
    float momentum = 0;
    bool centered = false;
  };
  struct ParameterGroup {
    std::vector<Tensor> parameters;
    Options options;
  };

  RMSprop(std::vector<Tensor> parameters, const Options& options);
  explicit RMSprop(std::vector<Tensor> parameters) : RMSprop(std::move(parameters), Options{}) {}
  explicit RMSprop(const std::vector<ParameterGroup>& groups);

 private:
  void update(const Batch& batch) override;
  [[nodiscard]] Operation operation(std::size_t group, std::int64_t phase,
                                    std::size_t count) const override;
  [[nodiscard]] std::int64_t phase(std::int64_t) const override {
    return 0;
  }  // all steps are alike
  [[nodiscard]] std::vector<Slot> slots() override;

  std::vector<Options> options_;  // of each group
  // Undefined until the first step, or where the options don't ask for them.
  std::vector<Tensor> second_moments_, first_moments_, momentum_buffers_;
};

}  // namespace backplane
