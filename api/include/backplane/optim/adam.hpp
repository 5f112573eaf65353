// Adam: steps scaled by running moments of the gradient (Kingma and Ba 2015).
#pragma once

#include "backplane/optim/optimizer.hpp"

namespace backplane {

// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
// p -= learning_rate / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + epsilon), where t counts the
// steps of that parameter.
class Adam : public Optimizer {
 public:
  struct Options {
    float learning_rate = 1e-3f;
    float beta1 = 0.9f, beta2 = 0.999f;
    float epsilon = 1e-8f;
    float weight_decay = 0;  // added to the gradient as weight_decay * p
  };

  Adam(std::vector<Tensor> parameters, const Options& options);
  explicit Adam(std::vector<Tensor> parameters) : Adam(std::move(parameters), Options{}) {}

 private:
  void update(const Group& group) override;
  [[nodiscard]] std::int64_t phase(std::int64_t steps) const override { return steps; }

  Options options_;
  std::vector<Tensor> first_moments_, second_moments_;  // undefined until the first step
};

}  // namespace backplane
