// From a graph to plans.
#include "compile/planner.hpp"

#include <algorithm>

#include "check.hpp"
#include "device/device_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane::detail {
namespace {

constexpr std::uint32_t copy_id = op::row_of<op::Copy>.id;

TensorSpec dense(TensorSpec spec) {
  if (spec.strides.rank() == 0 && spec.layout == BP_LAYOUT_STRIDED) {
    spec.strides = row_major(spec.shape);
  }
  return spec;
}

bool same_spec(const TensorSpec& a, const TensorSpec& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.layout == b.layout &&
         dense(a).strides == dense(b).strides;
}

}  // namespace

// Free values that nothing has settled yet are asked for in any layout.
bp_tensor_desc Planner::describe(const GraphValue& value, bool asks) const {
  if (!value.free) return describe_spec(value.spec);
  const std::uint32_t storage = value.storage;
  if (storage < settled_.size() && settled_[storage]) return describe_spec(*settled_[storage]);
  TensorSpec spec = value.spec;
  if (asks) spec.layout = BP_LAYOUT_ANY;
  return describe_spec(spec);
}

std::shared_ptr<PlanEntry> Planner::entry_for(const GraphStep& step, bool asks) const {
  std::vector<bp_tensor_desc> inputs, outputs;
  for (const GraphValue& value : step.inputs) inputs.push_back(describe(value, false));
  for (const GraphValue& value : step.outputs) outputs.push_back(describe(value, asks));
  std::uint32_t prepares = 0;
  for (std::size_t i = 0; i < step.inputs.size() && i < 32 && settings_.prepares; ++i) {
    const std::uint32_t storage = step.inputs[i].storage;
    if (storage < kept_.size() && kept_[storage]) prepares |= 1u << i;
  }
  return find_plan({*graph_.device, step.operation, inputs, outputs, step.adds_to, settings_.strict,
                    settings_.threads, prepares});
}

bool Planner::supports(const GraphStep& step) const {
  return entry_for(step, true)->status == BP_OK;
}

Place Planner::place_of(const GraphValue& value) const {
  Place place{value.storage, value.offset};
  while (merged_[place.storage].storage != place.storage) {
    place.offset += merged_[place.storage].offset;
    place.storage = merged_[place.storage].storage;
  }
  return place;
}

void Planner::settle(GraphValue& value, const TensorSpec& spec) {
  if (!value.free) return;
  settled_[value.storage] = spec;
  graph_.storages[value.storage].bytes = bytes_of(*graph_.device, describe_spec(spec));
}

// A copy in the layout that a plan wants.
GraphValue Planner::reordered(const GraphValue& value, const TensorSpec& spec) {
  GraphValue copy = graph_.add_value(spec.dtype, spec.shape);
  settled_.emplace_back(spec);
  merged_.push_back({copy.storage, 0});
  settle(copy, spec);
  plan_step({.operation = Operation(op::Copy{}), .inputs = {value}, .outputs = {copy}});
  return copy;
}

// Whether a copy changes nothing: then its target is its source. Not where either is written again.
bool Planner::elide(const GraphStep& step, const GraphUses& uses, int number) {
  if (step.operation.row().id != copy_id || step.adds_to != 0) return false;
  const GraphValue &from = step.inputs[0], &to = step.outputs[0];
  if (!graph_.is_internal(to) || uses.writer(to) != number || from.spec.dtype != to.spec.dtype) {
    return false;
  }
  if (graph_.is_internal(from) ? uses.writer(from) < 0 : !uses.writes[from.storage].empty()) {
    return false;
  }
  const auto is_result = [&](const GraphValue& value) { return value.storage == to.storage; };
  if (std::ranges::any_of(graph_.results, is_result)) return false;
  if (to.free) {
    if (!from.free) return false;
    settled_[to.storage] = settled_[from.storage];
  } else {
    const TensorSpec source = from.free ? *settled_[from.storage] : from.spec;
    if (to.offset != 0 || !same_spec(source, to.spec)) return false;
  }
  merged_[to.storage] = {from.storage, from.offset};
  return true;
}

// The first input's memory for the first output, where nobody reads the input any more.
void Planner::share(const GraphStep& step, const GraphUses& uses, int number) {
  if (!step.operation.row().in_place || step.operation.row().variadic) return;
  const GraphValue &from = step.inputs[0], &to = step.outputs[0];
  if (!from.free || !to.free || settled_[to.storage] || uses.writer(to) != number) return;
  const Place place = place_of(from);
  if (!graph_.is_internal({place.storage, 0, {}}) || place.offset != 0) return;
  if (from.spec.shape != to.spec.shape || from.spec.dtype != to.spec.dtype) return;
  for (std::uint32_t other = 0; other < merged_.size(); ++other) {
    if (place_of({other, 0, {}}).storage != place.storage) continue;
    const std::vector<int>& readers =
        other < uses.reads.size() ? uses.reads[other] : std::vector<int>{};
    const bool later = std::ranges::any_of(readers, [&](int reader) { return reader > number; });
    if (later) return;
  }
  const auto again = std::ranges::count_if(step.inputs, [&](const GraphValue& value) {
    return place_of(value).storage == place.storage;
  });
  if (again != 1) return;
  settled_[to.storage] = settled_[from.storage];
  const auto entry = entry_for(step, false);
  if (entry->status != BP_OK || entry->reorders) {
    settled_[to.storage].reset();
    return;
  }
  merged_[to.storage] = {from.storage, 0};
}

// For a device that doesn't add to this output: what it computes is added afterwards.
void Planner::plan_sum(const GraphStep& step) {
  GraphStep fresh = step;
  fresh.adds_to = 0;
  for (GraphValue& output : fresh.outputs) {
    output = graph_.add_value(output.spec.dtype, output.spec.shape);
    settled_.emplace_back();
    merged_.push_back({output.storage, 0});
  }
  plan_step(fresh);
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const GraphValue& sum = step.outputs[i];
    plan_step(
        {.operation = Operation(op::Add{}), .inputs = {sum, fresh.outputs[i]}, .outputs = {sum}});
  }
}

void Planner::plan_step(GraphStep step) {
  const auto entry = entry_for(step, true);
  if (entry->status == BP_UNSUPPORTED && step.adds_to != 0) {
    plan_sum(step);
    return;
  }
  if (entry->status != BP_OK) {
    fail(entry->status == BP_UNSUPPORTED ? ErrorCode::unsupported : ErrorCode::invalid_argument,
         "compile: {} cannot run {}: {}", graph_.device->name, step.operation.name(),
         entry->refusal);
  }
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    if (entry->reorder[i]) step.inputs[i] = reordered(step.inputs[i], entry->inputs[i]);
  }
  PlannedStep planned{.entry = entry, .step = step, .inputs = {}, .outputs = {}};
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    settle(step.outputs[i], entry->outputs[i]);
    planned.outputs.push_back(place_of(step.outputs[i]));
    planned.step.outputs[i].spec = entry->outputs[i];
    planned.step.outputs[i].free = false;
  }
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    planned.inputs.push_back(place_of(step.inputs[i]));
    planned.step.inputs[i].spec = entry->inputs[i];
    planned.step.inputs[i].free = false;
  }
  graph_.device->held_plans.add(entry);
  planned_.push_back(std::move(planned));
}

std::vector<PlannedStep> Planner::plan() {
  std::size_t unused = 0;
  return plan(0, unused);
}

std::vector<PlannedStep> Planner::plan(std::size_t at, std::size_t& planned_at) {
  settled_.resize(graph_.storages.size());
  for (std::uint32_t i = 0; i < graph_.storages.size(); ++i) merged_.push_back({i, 0});
  const GraphUses uses(graph_);
  for (std::size_t i = 0; i < graph_.storages.size(); ++i) {
    kept_.push_back(graph_.storages[i].kind == GraphStorage::Kind::outside &&
                    uses.writes[i].empty());
  }
  for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
    const int number = static_cast<int>(i);
    if (i == at) planned_at = planned_.size();
    if (elide(graph_.steps[i], uses, number)) continue;
    share(graph_.steps[i], uses, number);
    plan_step(graph_.steps[i]);
  }
  if (at >= graph_.steps.size()) planned_at = planned_.size();
  return std::move(planned_);
}

}  // namespace backplane::detail
