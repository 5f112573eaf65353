// Optimizer: changes parameters by their gradients, one fused operation for all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backplane/tensor.hpp"

namespace backplane {

// Holds handles on the parameters, and state for each, which follows them when Layer::to() moves
// them. Not to be used from two threads at once.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Enqueues one step on each device's current stream: one operation for all parameters that have
  // a gradient; the others are passed over and keep their state. Nothing waits, and a step changes
  // nothing while a fault of its stream is unread.
  void step();
  // Drops all gradients; with `keep_memory` they become zeros instead, and a parameter that the
  // next backward pass doesn't reach is stepped all the same.
  void zero_grad(bool keep_memory = false);

  [[nodiscard]] const std::vector<Tensor>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] float learning_rate() const noexcept { return learning_rate_; }
  void set_learning_rate(float rate);  // Error(invalid_argument) if negative or not finite
  [[nodiscard]] std::int64_t step_count() const noexcept { return step_count_; }

 protected:
  // Error(invalid_argument) for no parameters, one that is no leaf, one that comes twice, or if
  // none requires a gradient (those that don't are frozen: they are never stepped). `name` opens
  // the messages.
  Optimizer(std::string name, std::vector<Tensor> parameters, float learning_rate);

  // Parameters of one device that one operation can step together.
  struct Group {
    std::vector<std::size_t> members;  // positions in parameters()
    std::int64_t phase;                // the same for all, see phase()
    std::vector<Tensor> parameters, gradients;
  };
  virtual void update(const Group& group) = 0;
  // Which earlier steps of a parameter make a difference to its next one: parameters of different
  // phases need operations of their own. `steps` counts the steps before this one.
  [[nodiscard]] virtual std::int64_t phase(std::int64_t steps) const = 0;

  // Rejects an option outside its range: "SGD: momentum must be ..., got ...".
  void require(bool holds, std::string_view rule, double value) const;

 private:
  [[nodiscard]] std::vector<Group> groups() const;

  std::string name_;
  std::vector<Tensor> parameters_;
  std::vector<std::int64_t> steps_;  // taken so far by each parameter
  float learning_rate_;
  std::int64_t step_count_ = 0;
};

}  // namespace backplane
