// Adam: steps scaled by running moments of the gradient (Kingma and Ba 2015), and AdamW, whose
// weight decay stays out of them (Loshchilov and Hutter 2019).
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
  struct ParameterGroup {
    std::vector<Tensor> parameters;
    Options options;
  };

  Adam(std::vector<Tensor> parameters, const Options& options);
  explicit Adam(std::vector<Tensor> parameters) : Adam(std::move(parameters), Options{}) {}
  explicit Adam(const std::vector<ParameterGroup>& groups) : Adam("Adam", groups, false) {}

 protected:
  // `decoupled`: weight decay scales p instead, see AdamW.
  Adam(std::string name, const std::vector<ParameterGroup>& groups, bool decoupled);

 private:
  void update(const Batch& batch) override;
  [[nodiscard]] Operation operation(std::size_t group, std::int64_t phase,
                                    std::size_t count) const override;
  [[nodiscard]] std::int64_t phase(std::int64_t steps) const override { return steps; }
  [[nodiscard]] std::vector<Slot> slots() override;

  std::vector<Options> options_;  // of each group
  bool decoupled_;
  std::vector<Tensor> first_moments_, second_moments_;  // undefined until the first step
};

// Adam, with p *= 1 - learning_rate * weight_decay in front of each step.
class AdamW : public Adam {
 public:
  struct Options {
    float learning_rate = 1e-3f;
    float beta1 = 0.9f, beta2 = 0.999f;
    float epsilon = 1e-8f;
    float weight_decay = 1e-2f;
  };
  struct ParameterGroup {
    std::vector<Tensor> parameters;
    Options options;
  };

  AdamW(std::vector<Tensor> parameters, const Options& options);
  explicit AdamW(std::vector<Tensor> parameters) : AdamW(std::move(parameters), Options{}) {}
  explicit AdamW(const std::vector<ParameterGroup>& groups);
};

}  // namespace backplane
