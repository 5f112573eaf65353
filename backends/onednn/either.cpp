// Copies around a plan, and the choice between two of them.
#include "either.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "backplane/plugin/steps.hpp"
#include "layout.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

class EitherPlan final : public plugin::Plan {
 public:
  // A plan and how much prepared memory it asks for.
  struct Candidate {
    std::unique_ptr<plugin::Plan> plan;
    std::uint64_t prepared_bytes;
  };

  EitherPlan(const plugin::Request& request, Candidate first, Candidate second,
             TakesFirst takes_first)
      : inputs_(request.inputs.size()),
        outputs_(request.outputs.size()),
        first_(std::move(first)),
        second_(std::move(second)),
        takes_first_(std::move(takes_first)) {}

  [[nodiscard]] std::uint64_t prepared_bytes() const {
    return second_at() + second_.prepared_bytes;
  }

  void run(plugin::Queue& queue, const bp_run& run) override {
    if (run.input_count != inputs_ || run.output_count != outputs_) {
      throw plugin::invalid("a run must bring as many arguments as its plan was made for");
    }
    if (takes_first_({run, static_cast<plugin::InlineQueue&>(queue).faults})) {
      first_.plan->run(queue, run);
    } else {
      second_.plan->run(queue, of_second(run));
    }
  }
  void prepare(plugin::Queue& queue, const bp_run& run) override {
    if (first_.prepared_bytes != 0) first_.plan->prepare(queue, run);
    if (second_.prepared_bytes != 0) second_.plan->prepare(queue, of_second(run));
  }

 private:
  [[nodiscard]] std::uint64_t second_at() const { return aligned(first_.prepared_bytes); }
  [[nodiscard]] bp_run of_second(bp_run run) const {
    run.prepared.offset += second_at();
    return run;
  }

  std::size_t inputs_, outputs_;
  Candidate first_, second_;
  TakesFirst takes_first_;
};

bp_tensor_desc open(bp_tensor_desc desc) {
  desc.layout = BP_LAYOUT_ANY;
  return desc;
}

}  // namespace

std::unique_ptr<plugin::Plan> plan_either(plugin::Request& request, const MakePlan& first,
                                          const MakePlan& second, TakesFirst takes_first) {
  plugin::Request one = request, other = request;
  auto first_plan = first(one), second_plan = second(other);
  auto plan = std::make_unique<EitherPlan>(
      request, EitherPlan::Candidate{std::move(first_plan), one.prepared_bytes},
      EitherPlan::Candidate{std::move(second_plan), other.prepared_bytes}, std::move(takes_first));
  request.workspace_bytes = std::max(one.workspace_bytes, other.workspace_bytes);
  request.prepared_bytes = plan->prepared_bytes();
  request.implementation = one.implementation + ", or " + other.implementation;
  return plan;
}

std::unique_ptr<plugin::Plan> plan_as_it_lies(OnednnDevice& device, plugin::Request& request,
                                              const MakePlan& make) {
  plugin::Steps steps(request);
  std::vector<bp_tensor_desc> inputs(request.inputs.begin(), request.inputs.end());
  std::vector<bp_tensor_desc> outputs(request.outputs.begin(), request.outputs.end());
  std::vector<plugin::Operand> from, to;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    from.push_back({plugin::Operand::Place::input, i, &inputs[i]});
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    // What is added to is read as well.
    if ((request.adds_to >> i & 1) == 0) outputs[i] = open(outputs[i]);
    to.push_back({plugin::Operand::Place::output, i, &outputs[i]});
  }
  std::vector<plugin::Step> all, after;
  plugin::Step step = steps.plan(from, to, make, request.adds_to);
  const auto copy = [&](const plugin::Operand& source, const plugin::Operand& target) {
    return steps.plan({source}, {target},
                      [&](plugin::Request& part) { return device.plan(op::Copy{}, part); });
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (same_layout(inputs[i], request.inputs[i])) continue;
    step.inputs[i] = steps.between(inputs[i], byte_count(inputs[i]));
    all.push_back(copy(steps.input(i), step.inputs[i]));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (same_layout(outputs[i], request.outputs[i])) continue;
    step.outputs[i] = steps.between(outputs[i], byte_count(outputs[i]));
    after.push_back(copy(step.outputs[i], steps.output(i)));
  }
  all.push_back(std::move(step));
  std::ranges::move(after, std::back_inserter(all));
  return steps.finish(std::move(all));
}

}  // namespace backplane::onednn
