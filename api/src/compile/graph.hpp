// What a step did, as data: operations on values, values on storages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backplane/operation.hpp"
#include "backplane/plan.hpp"
#include "memory/storage.hpp"

namespace backplane::detail {

struct GraphStorage {
  enum class Kind {
    internal,  // made and used up by the step
    kept,      // the same, in memory that nothing else uses while the step runs
    outside,   // there before the step: `memory`
    escaping,  // made by the step, and still held by somebody after it: `memory`
    argument   // of the call, number `argument`
  };
  Kind kind = Kind::internal;
  std::uint64_t bytes = 0;
  std::uint32_t argument = 0;
  std::shared_ptr<Storage> memory = {};
};

// A tensor of the recording: part of a storage, seen as a shape. Whole row-major values of internal
// storages that nobody views otherwise are `free`: their layout is chosen when they are planned,
// and `spec` has no strides.
struct GraphValue {
  std::uint32_t storage = 0;
  std::uint64_t offset = 0;  // in bytes
  TensorSpec spec;
  bool free = false;
  friend bool operator==(const GraphValue&, const GraphValue&) = default;
};

struct GraphStep {
  Operation operation;
  std::vector<GraphValue> inputs = {}, outputs = {};
  std::uint32_t adds_to = 0;
  bool draws =
      false;  // scalars open with op::PhiloxScalars; only `site` counts, from the first draw
  // Gives the operation with the scalars of the moment; null: those of the recording.
  std::function<Operation()> refreshed = {};
};

// A step that a pass has replaced loses its operands; such steps are dropped when the pass ends.
void clear_step(GraphStep& step);

struct Graph {
  DeviceState* device = nullptr;
  std::vector<GraphStorage> storages;
  std::vector<GraphStep> steps;
  std::vector<GraphValue> results;

  [[nodiscard]] bool is_internal(const GraphValue& value) const {
    return storages[value.storage].kind == GraphStorage::Kind::internal;
  }
  std::uint32_t add_storage(GraphStorage storage);
  // A value of its own, row-major, whose layout is free.
  [[nodiscard]] GraphValue add_value(DType dtype, const Shape& shape);
};

void drop_cleared_steps(Graph& graph);

// Whether two recordings have the same operations on the same values. Empty: they have; else what
// the first difference is, for people.
[[nodiscard]] std::string difference(const Graph& a, const Graph& b);
// Of two such recordings: the first operation whose scalars differ without a reason; -1: none.
[[nodiscard]] int stale_scalars(const Graph& a, const Graph& b);

// Where values are written and read, as lists of steps.
struct GraphUses {
  explicit GraphUses(const Graph& graph);
  // The only step that writes this storage; -1: none or several.
  [[nodiscard]] int writer(const GraphValue& value) const;
  // The steps that read it; results count as one more reader, with the number of all steps.
  [[nodiscard]] const std::vector<int>& readers(const GraphValue& value) const {
    return reads[value.storage];
  }
  // The one step that reads an internal value which one step wrote, as a whole and unchanged; -1:
  // there is no such step, or not only one.
  [[nodiscard]] int only_reader(const Graph& graph, const GraphValue& value) const;

  std::vector<std::vector<int>> writes, reads;
  std::vector<bool> was_internal;  // when they were counted
};

}  // namespace backplane::detail
