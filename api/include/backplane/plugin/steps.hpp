// A plan made of other plans, run one after the other: for operations that a back end computes by
// their parts. Each step takes its arguments from those of the whole or from its workspace.
//
//   Steps steps(request);
//   const Operand dense = steps.between(desc, bytes);
//   auto conv = steps.plan({steps.input(0), steps.input(1)}, {dense}, [&](Request& part) { ... });
//   auto relu = steps.plan({dense}, {steps.output(0)}, [&](Request& part) { ... });
//   return steps.finish({std::move(conv), std::move(relu)});
//
// Plans may be made in another order than they run, so that one can settle a layout for the others.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "backplane/plugin/backend.hpp"

namespace backplane::plugin {

// An argument of a step: its description, which the step's plan may rewrite, and where it lies.
struct Operand {
  enum class Place { input, output, workspace };
  Place place;
  std::uint64_t at;  // which one, or how far into the workspace
  bp_tensor_desc* desc;
};

struct Step {
  static constexpr std::size_t most_arguments = 4;
  using Arguments = std::array<Operand, most_arguments>;

  std::shared_ptr<Plan> plan;
  Arguments inputs{}, outputs{};
  std::uint32_t input_count = 0, output_count = 0;
  std::uint64_t prepared_at = 0;  // where its part of the prepared memory begins
  bool prepares = false;
};

class Steps {
 public:
  explicit Steps(Request& request) : request_(request) {}

  [[nodiscard]] Operand input(std::size_t i) {
    return {Operand::Place::input, i, &request_.inputs[i]};
  }
  [[nodiscard]] Operand output(std::size_t i) {
    return {Operand::Place::output, i, &request_.outputs[i]};
  }
  // A tensor of so many bytes that one step leaves for another.
  [[nodiscard]] Operand between(const bp_tensor_desc& desc, std::uint64_t bytes) {
    const std::uint64_t at = between_bytes_;
    between_bytes_ += aligned(bytes);
    return {Operand::Place::workspace, at, &between_.emplace_back(desc)};
  }

  // make(Request&) gives the plan; what it settles of descriptions is written back.
  template <class Make>
  [[nodiscard]] Step plan(const std::vector<Operand>& inputs, const std::vector<Operand>& outputs,
                          const Make& make, std::uint32_t adds_to = 0);

  // The steps in the order in which they run.
  [[nodiscard]] std::unique_ptr<Plan> finish(std::vector<Step> steps);

 private:
  class PlanOfSteps;

  static constexpr std::uint64_t alignment = 256;  // what BLAS libraries of cards ask for
  static std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }

  Request& request_;
  std::deque<bp_tensor_desc> between_;
  std::uint64_t between_bytes_ = 0, scratch_bytes_ = 0;
  std::string implementation_;
};

class Steps::PlanOfSteps final : public Plan {
 public:
  PlanOfSteps(std::vector<Step> steps, std::uint64_t scratch_at, const Request& request)
      : steps_(std::move(steps)),
        scratch_at_(scratch_at),
        inputs_(request.inputs.size()),
        outputs_(request.outputs.size()) {}

  void run(Queue& queue, const bp_run& run) override {
    if (run.input_count != inputs_ || run.output_count != outputs_) {
      throw invalid("a run must bring as many arguments as its plan was made for");
    }
    for (const Step& step : steps_) {
      with_part(step, run, [&](const bp_run& part) { step.plan->run(queue, part); });
    }
  }
  void prepare(Queue& queue, const bp_run& run) override {
    for (const Step& step : steps_) {
      if (!step.prepares) continue;
      with_part(step, run, [&](const bp_run& part) { step.plan->prepare(queue, part); });
    }
  }

 private:
  static bp_arg moved(bp_arg arg, std::uint64_t bytes) {
    arg.offset += bytes;
    return arg;
  }

  static void place(const Step::Arguments& operands, std::uint32_t count, const bp_run& run,
                    bp_arg* args) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Operand& operand = operands[i];
      switch (operand.place) {
        case Operand::Place::input:
          args[i] = operand.at < run.input_count ? run.inputs[operand.at] : bp_arg{};
          break;
        case Operand::Place::output:
          args[i] = operand.at < run.output_count ? run.outputs[operand.at] : bp_arg{};
          break;
        case Operand::Place::workspace: args[i] = moved(run.workspace, operand.at); break;
      }
    }
  }

  template <class Body>
  void with_part(const Step& step, const bp_run& run, const Body& body) const {
    std::array<bp_arg, Step::most_arguments> inputs{}, outputs{};
    place(step.inputs, step.input_count, run, inputs.data());
    place(step.outputs, step.output_count, run, outputs.data());
    bp_run part = run;
    part.input_count = step.input_count;
    part.output_count = step.output_count;
    part.inputs = inputs.data();
    part.outputs = outputs.data();
    part.workspace = moved(run.workspace, scratch_at_);
    part.prepared = step.prepares ? moved(run.prepared, step.prepared_at) : bp_arg{};
    body(part);
  }

  std::vector<Step> steps_;
  std::uint64_t scratch_at_;
  std::size_t inputs_, outputs_;
};

template <class Make>
Step Steps::plan(const std::vector<Operand>& inputs, const std::vector<Operand>& outputs,
                 const Make& make, std::uint32_t adds_to) {
  Step step;
  std::array<bp_tensor_desc, Step::most_arguments> from{}, to{};
  bp_plan_request wire{};
  wire.struct_size = sizeof wire;
  wire.numerics = request_.strict ? BP_NUMERICS_STRICT : BP_NUMERICS_STANDARD;
  wire.threads = request_.threads;
  wire.adds_to = adds_to;
  for (const Operand& operand : inputs) {
    if (operand.place == Operand::Place::input && request_.keeps(operand.at)) {
      wire.prepares |= 1u << step.input_count;
    }
    from[step.input_count] = *operand.desc;
    step.inputs[step.input_count++] = operand;
  }
  for (const Operand& operand : outputs) {
    to[step.output_count] = *operand.desc;
    step.outputs[step.output_count++] = operand;
  }
  wire.inputs = from.data();
  wire.outputs = to.data();
  wire.input_count = step.input_count;
  wire.output_count = step.output_count;
  Request part(wire);
  step.plan = make(part);
  for (std::uint32_t i = 0; i < step.input_count; ++i) *step.inputs[i].desc = from[i];
  for (std::uint32_t i = 0; i < step.output_count; ++i) *step.outputs[i].desc = to[i];
  scratch_bytes_ = std::max(scratch_bytes_, part.workspace_bytes);
  step.prepares = part.prepared_bytes != 0;
  step.prepared_at = request_.prepared_bytes;
  request_.prepared_bytes += aligned(part.prepared_bytes);
  implementation_ += (implementation_.empty() ? "" : "; ") + part.implementation;
  return step;
}

inline std::unique_ptr<Plan> Steps::finish(std::vector<Step> steps) {
  request_.workspace_bytes = between_bytes_ + scratch_bytes_;
  request_.implementation = implementation_;
  return std::make_unique<PlanOfSteps>(std::move(steps), between_bytes_, request_);
}

}  // namespace backplane::plugin
