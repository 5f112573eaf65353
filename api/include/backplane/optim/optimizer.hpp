// Optimizer: changes parameters by their gradients, one fused operation for all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backplane/operation.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

// One tensor of what an optimizer remembers between steps.
struct NamedState {
  std::string name;  // as in "3.momentum", of parameter 3
  Tensor tensor;
};

// Holds handles on the parameters, and state for each, which follows them when Layer::to() moves
// them. Not to be used from two threads at once.
//
// Parameters may come in groups, each with options of its own; there is one group otherwise.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Enqueues one step on each device's current stream: one operation for all parameters of a group
  // that have a gradient; the others are passed over and keep their state. Nothing waits, and a
  // step changes nothing while a fault of its stream is unread.
  void step();
  // Drops all gradients; with `keep_memory` they become zeros instead, and a parameter that the
  // next backward pass doesn't reach is stepped all the same.
  void zero_grad(bool keep_memory = false);

  [[nodiscard]] const std::vector<Tensor>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::size_t group_count() const noexcept { return learning_rates_.size(); }
  [[nodiscard]] float learning_rate(std::size_t group = 0) const;
  // Of all groups, or of one. Error(invalid_argument) if negative or not finite.
  void set_learning_rate(float rate);
  void set_learning_rate(std::size_t group, float rate);
  [[nodiscard]] std::int64_t step_count() const noexcept { return step_count_; }

  // What a checkpoint has to keep, in a fixed order: "step_count" i64[], "steps" i64[parameters]
  // and "learning_rates" f32[groups] on the host, then the state of each parameter that has some,
  // on its device. The tensors of parameters are the optimizer's own: clone() what must outlive a
  // step.
  [[nodiscard]] std::vector<NamedState> state();
  // Takes copies of what state() gave. Error(invalid_argument) for a name that is missing or
  // unknown and for a tensor of another type or shape; nothing has changed then.
  void load_state(std::span<const NamedState> state);

 protected:
  struct Group {
    std::vector<Tensor> parameters;
    float learning_rate;
  };
  // Error(invalid_argument) for no parameters, one that is no leaf, one that comes twice, or if
  // none requires a gradient (those that don't are frozen: they are never stepped). `name` opens
  // the messages.
  Optimizer(std::string name, std::vector<Group> groups);

  // Parameters of one device and group that one operation can step together.
  struct Batch {
    std::size_t group;
    std::vector<std::size_t> members;  // positions in parameters()
    std::int64_t phase;                // the same for all, see phase()
    std::vector<Tensor> parameters, gradients;
  };
  // Makes the state that is missing, and calls run_update.
  virtual void update(const Batch& batch) = 0;
  // One update of `count` parameters of a group that are in this phase, with today's scalars.
  [[nodiscard]] virtual Operation operation(std::size_t group, std::int64_t phase,
                                            std::size_t count) const = 0;
  // Enqueues the operation of a batch; a step that compile() records asks for it in each repetition.
  void run_update(const Batch& batch, std::span<const Tensor> inputs,
                  std::span<const Tensor> outputs);
  // Which earlier steps of a parameter make a difference to its next one: parameters of different
  // phases need operations of their own. `steps` counts the steps before this one.
  [[nodiscard]] virtual std::int64_t phase(std::int64_t steps) const = 0;

  // What it remembers of each parameter: one tensor of its shape, undefined until there is one.
  struct Slot {
    const char* name;
    std::vector<Tensor>* tensors;
  };
  [[nodiscard]] virtual std::vector<Slot> slots() = 0;

  // Rejects an option outside its range: "SGD: momentum must be ..., got ...".
  void require(bool holds, std::string_view rule, double value) const;

 private:
  [[nodiscard]] std::vector<Batch> batches() const;
  void count_step(std::span<const std::size_t> members);
  void check_group(std::size_t group) const;

  std::string name_;
  std::vector<Tensor> parameters_;
  std::vector<std::size_t> group_of_;  // of each parameter
  std::vector<std::int64_t> steps_;    // taken so far by each parameter
  std::vector<float> learning_rates_;  // of each group
  std::int64_t step_count_ = 0;
};

}  // namespace backplane
