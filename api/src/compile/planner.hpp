// From a graph to plans: layouts are negotiated from plan to plan, memory is shared where it can
// be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/graph.hpp"
#include "dispatch/planning.hpp"

namespace backplane::detail {

// A place in a storage of the graph.
struct Place {
  std::uint32_t storage = 0;
  std::uint64_t offset = 0;
};

struct PlannedStep {
  std::shared_ptr<PlanEntry> entry;
  GraphStep step;  // with values as planned: none is free
  std::vector<Place> inputs, outputs;
};

// The settings that plans are made with.
struct PlanSettings {
  bool strict = false;
  std::uint32_t threads = 1;
  bool prepares = false;  // what is outside and never written may be put in a plan's own order once
};

class Planner {
 public:
  Planner(Graph& graph, PlanSettings settings) : graph_(graph), settings_(settings) {}

  // Whether the device would run it; free values may lie as it likes.
  [[nodiscard]] bool supports(const GraphStep& step) const;

  // All steps of the graph, in order, with the copies between layouts that they need. Storages that
  // turn out to be the same memory as another one are merged. Error: the device's refusal.
  [[nodiscard]] std::vector<PlannedStep> plan();
  // The same; `planned_at` becomes the number that step `at` of the graph has in the answer.
  [[nodiscard]] std::vector<PlannedStep> plan(std::size_t at, std::size_t& planned_at);

 private:
  [[nodiscard]] bp_tensor_desc describe(const GraphValue& value, bool asks) const;
  [[nodiscard]] std::shared_ptr<PlanEntry> entry_for(const GraphStep& step, bool asks) const;
  void plan_step(GraphStep step);
  void plan_sum(const GraphStep& step);
  void settle(GraphValue& value, const TensorSpec& spec);
  [[nodiscard]] GraphValue reordered(const GraphValue& value, const TensorSpec& spec);
  [[nodiscard]] bool elide(const GraphStep& step, const GraphUses& uses, int number);
  void share(const GraphStep& step, const GraphUses& uses, int number);
  [[nodiscard]] Place place_of(const GraphValue& value) const;

  Graph& graph_;
  PlanSettings settings_;
  std::vector<std::optional<TensorSpec>> settled_;  // of storages of free values
  std::vector<Place> merged_;                       // where each storage really lies
  std::vector<bool> kept_;                          // storages that nothing writes
  std::vector<PlannedStep> planned_;
};

// The next place in memory on such a boundary.
[[nodiscard]] constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Where each internal storage lies in one block: steps that don't live at the same time share.
struct Placement {
  std::vector<std::uint64_t> offsets;  // of storages; those that aren't placed: unused
  std::uint64_t bytes = 0;
};
// `placed` says which storages; `alignment` in bytes.
[[nodiscard]] Placement place_storages(const Graph& graph, const std::vector<PlannedStep>& steps,
                                       const std::vector<bool>& placed, std::uint64_t alignment);

}  // namespace backplane::detail
