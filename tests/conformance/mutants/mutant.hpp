// One row for each way to break a back end, and what its hooks see.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backplane/plugin/abi.h"

namespace mutants {

// What the shim remembers of a plan.
struct PlanRecord {
  std::uint32_t operation;  // id, see ops.hpp
  std::vector<bp_tensor_desc> inputs, outputs;
};

// One run that the target has just enqueued.
struct Run {
  const bp_backend& target;
  const PlanRecord& plan;
  bp_queue* queue;
  const bp_run& arguments;
};

// A mutant breaks one thing; a hook that is null leaves its part as it is.
struct Mutant {
  const char* name;    // value of BACKPLANE_MUTANT
  const char* breaks;  // for people
  const char* filter;  // cases that must catch it, and pass without it
  bool asynchronous;   // needs queues that are really apart: BACKPLANE_REFERENCE_ASYNC
  void (*change_request)(bp_plan_request&) = nullptr;  // before the target makes a plan
  void (*after_run)(const Run&) = nullptr;
  bool drops_event_wait = false;
};

[[nodiscard]] std::span<const Mutant> all_mutants();
[[nodiscard]] const Mutant* find_mutant(std::string_view name);  // null: none of that name

}  // namespace mutants
