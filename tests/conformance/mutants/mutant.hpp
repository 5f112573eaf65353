// One row for each way to break a back end, and what its hooks see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "backplane/plugin/abi.h"

namespace mutants {

// What the shim remembers of a plan.
struct PlanRecord {
  std::uint32_t operation;  // id, see ops.hpp
  std::vector<std::byte> params;
  std::vector<bp_tensor_desc> inputs, outputs;
};

// One run, before or after the target has enqueued it.
struct Run {
  const bp_backend& target;
  const PlanRecord& plan;
  bp_queue* queue;
  std::vector<bp_arg> inputs, outputs;
  std::vector<std::byte> scalars;
};

// What the shim itself does wrong, with queues, events and the error record.
enum class Slip {
  none,
  event_wait,         // a queue doesn't wait for an event
  event_synchronize,  // the host doesn't wait for an event
  upload_order,       // an upload is on a queue of its own
  download_order,     // a download doesn't wait for the work before it
  run_order,          // every other run is on a queue of its own
  error_record,       // the record always says that all is well
  error_clear         // the record is never cleared
};

// A mutant breaks one thing; a hook that is null leaves its part as it is.
struct Mutant {
  const char* name;           // value of BACKPLANE_MUTANT
  const char* breaks;         // for people
  const char* filter;         // cases that must catch it, and pass without it
  bool asynchronous = false;  // needs queues that are really apart: BACKPLANE_REFERENCE_ASYNC
  void (*change_request)(bp_plan_request&) = nullptr;  // before the target makes a plan
  void (*before_run)(Run&) = nullptr;
  void (*after_run)(const Run&) = nullptr;
  Slip slip = Slip::none;
};

// The files of this folder that have rows: one for each family of operations, named as in
// plugin/ops/, and what is no operation. A new family is a file and its name here.
#define BACKPLANE_MUTANT_FAMILIES(family)                                                       \
  family(activation) family(arithmetic) family(comparison) family(convolution) family(data)     \
      family(fused) family(index) family(interpolation) family(loss) family(machinery)          \
          family(matmul) family(memory) family(normalization) family(optimizer) family(pooling) \
              family(random) family(reduction) family(softmax) family(unary)

#define BACKPLANE_FAMILY(name) std::span<const Mutant> name##_mutants();
BACKPLANE_MUTANT_FAMILIES(BACKPLANE_FAMILY)
#undef BACKPLANE_FAMILY

// Mutants of one file.
struct Family {
  const char* name;
  std::span<const Mutant> mutants;
};
[[nodiscard]] std::vector<Family> all_families();
[[nodiscard]] const Mutant* find_mutant(std::string_view name);  // null: none of that name

}  // namespace mutants
