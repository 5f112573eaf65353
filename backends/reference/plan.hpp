// A plan of the reference: the descriptions it was made for and a body that computes one run.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backplane/plugin/host_backend.hpp"
#include "tensor.hpp"

namespace backplane::reference {

class ReferencePlan;

// One run, with everything of the caller's that may be gone by the time it is computed copied.
class Call {
 public:
  Call(const ReferencePlan& plan, plugin::FaultRecord& faults, const bp_run& run);

  template <class Value = double>
  [[nodiscard]] std::vector<Value> load(std::size_t input) const {
    return reference::load<Value>(inputs_[input]);
  }

  // Null where the caller left it out.
  [[nodiscard]] std::unique_ptr<const std::vector<double>> load_optional(std::size_t input) const {
    return has_input(input) ? std::make_unique<const std::vector<double>>(load(input)) : nullptr;
  }

  // Writes an output, or adds to it where the plan was made so: one rounding either way.
  template <class Value>
  void store(std::size_t output, std::vector<Value> values) const {
    if ((adds_to_ >> output & 1) != 0) {
      const std::vector<Value> before = reference::load<Value>(outputs_[output]);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += before[i];
    }
    reference::store(outputs_[output], values);
  }

  [[nodiscard]] const Tensor& input(std::size_t i) const { return inputs_[i]; }
  [[nodiscard]] const Tensor& output(std::size_t i) const { return outputs_[i]; }
  [[nodiscard]] bool has_input(std::size_t i) const { return i < inputs_.size(); }
  [[nodiscard]] bool has_output(std::size_t i) const { return i < outputs_.size(); }

  template <class Op>
  [[nodiscard]] typename Op::Scalars scalars() const {
    bp_run run{};
    run.scalar_bytes = static_cast<std::uint32_t>(scalars_.size());
    run.scalars = scalars_.data();
    return plugin::read_scalars<Op>(run);
  }

  plugin::FaultRecord& faults;
  const std::uint64_t sequence;

 private:
  std::vector<Tensor> inputs_, outputs_;
  std::vector<char> scalars_;
  std::uint32_t adds_to_;
};

class ReferencePlan : public plugin::Plan {
 public:
  ReferencePlan(const op::Row& row, std::uint32_t scalar_bytes, plugin::Request& request);
  void run(plugin::Queue& queue, const bp_run& run) override;
  // There is no better order than the caller's: what is kept is copied as it lies.
  void prepare(plugin::Queue& queue, const bp_run& run) override;
  virtual void compute(const Call& call) const = 0;

 private:
  friend class Call;
  void check(const bp_run& run) const;
  void check_kept(const bp_run& run) const;
  void check_memory(const std::vector<bp_tensor_desc>& descs, const bp_arg* arguments,
                    std::uint32_t count, const std::string& what) const;

  // An input that the caller keeps, and where its copy begins in the prepared memory.
  struct Kept {
    std::size_t input;
    std::uint64_t at;
  };

  const op::Row& row_;
  std::vector<bp_tensor_desc> inputs_, outputs_;
  std::vector<Kept> kept_;
  std::uint32_t scalar_bytes_, adds_to_;
};

// A plan whose runs are body(call). `Op` says how many scalars each brings.
template <class Op, class Body>
[[nodiscard]] std::unique_ptr<plugin::Plan> make_plan(plugin::Request& request, Body body) {
  class PlanOf final : public ReferencePlan {
   public:
    PlanOf(std::uint32_t scalar_bytes, plugin::Request& request, Body body)
        : ReferencePlan(op::row_of<Op>, scalar_bytes, request), body_(std::move(body)) {}
    void compute(const Call& call) const override { body_(call); }

   private:
    Body body_;
  };
  std::uint32_t scalar_bytes = 0;
  if constexpr (requires { typename Op::Scalars; }) scalar_bytes = sizeof(typename Op::Scalars);
  request.implementation = "plain loops";
  return std::make_unique<PlanOf>(scalar_bytes, request, std::move(body));
}

}  // namespace backplane::reference
