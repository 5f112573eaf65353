// Tiled runs for a back end that computes on the CPU: it says how to start threads, this does the
// rest. Queue::run_tiled calls run_tiles(run, faults, in_parallel), where in_parallel(parts, body)
// calls body(part) for each part, at the same time if it can.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <vector>

#include "backplane/plugin/host_backend.hpp"
#include "backplane/plugin/table.hpp"

namespace backplane::plugin {

// What a thread keeps between tiled runs, so that they allocate nothing once they are warm: the
// arguments and scalars of all steps, one after another.
struct TileScratch {
  std::vector<bp_arg> args;
  std::vector<std::byte> scalars;
  std::vector<double> seconds;  // of each step
};

// The tiles of one thread. Plans run on a queue of its own, whose faults are carried over.
class TileWorker {
 public:
  TileWorker(const bp_tiled_run& run, unsigned part, FaultRecord& faults, TileScratch& scratch)
      : run_(run), faults_(faults), scratch_(scratch) {
    local_ = run.locals;
    local_.offset += part * run.local_bytes;
    scratch_.args.clear();
    scratch_.scalars.clear();
    scratch_.seconds.assign(run.step_count, 0.0);
    for (std::uint32_t i = 0; i < run.step_count; ++i) {
      const bp_tile_step& step = run.steps[i];
      for (std::uint32_t k = 0; k < step.input_count; ++k)
        scratch_.args.push_back(at_tile_0(step.inputs[k]));
      for (std::uint32_t k = 0; k < step.output_count; ++k)
        scratch_.args.push_back(at_tile_0(step.outputs[k]));
      const auto* bytes = static_cast<const std::byte*>(step.scalars);
      scratch_.scalars.insert(scratch_.scalars.end(), bytes, bytes + step.scalar_bytes);
    }
    first_ = static_cast<std::uint32_t>(std::uint64_t{run.tiles} * part / run.threads);
    last_ = static_cast<std::uint32_t>(std::uint64_t{run.tiles} * (part + 1) / run.threads);
  }

  void work() {
    for (std::uint32_t i = 0; i < run_.sum_count; ++i) {
      std::memset(host_pointer(local_at(run_.sums[i].local)), 0,
                  run_.sums[i].count * sizeof(float));
    }
    for (std::uint32_t tile = first_; tile < last_; ++tile) {
      bp_arg* args = scratch_.args.data();
      std::byte* scalars = scratch_.scalars.data();
      for (std::uint32_t i = 0; i < run_.step_count; ++i) {
        run_step(i, tile, args, scalars);
        args += run_.steps[i].input_count + run_.steps[i].output_count;
        scalars += run_.steps[i].scalar_bytes;
      }
      carry_fault(tile);
    }
  }

 private:
  [[nodiscard]] bp_arg local_at(std::uint64_t offset) const {
    return {local_.buffer, local_.offset + offset};
  }
  [[nodiscard]] bp_arg at_tile_0(const bp_tile_arg& arg) const {
    return arg.place == BP_TILE_LOCAL ? local_at(arg.arg.offset) : arg.arg;
  }

  static void move_slices(const bp_tile_arg* from, std::uint32_t count, std::uint32_t tile,
                          bp_arg* args) {
    for (std::uint32_t k = 0; k < count; ++k) {
      if (from[k].place == BP_TILE_SLICE)
        args[k].offset = from[k].arg.offset + tile * from[k].stride;
    }
  }

  // `args`: inputs, then outputs.
  void run_step(std::uint32_t number, std::uint32_t tile, bp_arg* args, std::byte* scalars) {
    const bp_tile_step& step = run_.steps[number];
    move_slices(step.inputs, step.input_count, tile, args);
    move_slices(step.outputs, step.output_count, tile, args + step.input_count);
    if (step.sample_at != BP_NO_SAMPLE) {
      std::uint32_t sample = 0;
      std::memcpy(&sample, static_cast<const std::byte*>(step.scalars) + step.sample_at,
                  sizeof sample);
      sample += tile * run_.tile_samples;
      std::memcpy(scalars + step.sample_at, &sample, sizeof sample);
    }
    bp_run run{};
    run.struct_size = sizeof run;
    run.input_count = step.input_count;
    run.output_count = step.output_count;
    run.scalar_bytes = step.scalar_bytes;
    run.inputs = args;
    run.outputs = args + step.input_count;
    run.scalars = scalars;
    run.workspace = local_at(run_.workspace);
    run.sequence = run_.sequence + number;
    run.prepared = step.prepared;
    if (run_.seconds == nullptr) {
      get(step.plan)->run(queue_, run);
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    get(step.plan)->run(queue_, run);
    scratch_.seconds[number] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void carry_fault(std::uint32_t tile) {
    if (!queue_.faults.set()) return;
    const bp_error_record fault = queue_.faults.read(true);
    faults_.report(fault.sequence, fault.index + std::int64_t{tile} * run_.tile_samples,
                   fault.value, fault.limit);
  }

  const bp_tiled_run& run_;
  FaultRecord& faults_;
  TileScratch& scratch_;
  bp_arg local_{};
  std::uint32_t first_ = 0, last_ = 0;
  InlineQueue queue_;
};

// Adds up what the threads summed, in the order of the threads; `part` of `run.threads` of each
// sum.
inline void add_tile_sums(const bp_tiled_run& run, unsigned part) {
  for (std::uint32_t i = 0; i < run.sum_count; ++i) {
    const bp_tile_sum& sum = run.sums[i];
    const std::uint64_t first = sum.count * part / run.threads;
    const std::uint64_t last = sum.count * (part + 1) / run.threads;
    auto* target = host_pointer<float>(sum.target);
    for (unsigned thread = 0; thread < run.threads; ++thread) {
      const bp_arg from{run.locals.buffer,
                        run.locals.offset + thread * run.local_bytes + sum.local};
      const auto* local = host_pointer<const float>(from);
      if (thread == 0) {
        std::copy(local + first, local + last, target + first);
      } else {
        for (std::uint64_t k = first; k < last; ++k) target[k] += local[k];
      }
    }
  }
}

template <class InParallel>
void run_tiles(const bp_tiled_run& run, FaultRecord& faults, const InParallel& in_parallel) {
  std::mutex mutex;
  std::exception_ptr failure;
  in_parallel(run.threads, [&](unsigned part) {
    try {
      thread_local TileScratch scratch;
      TileWorker(run, part, faults, scratch).work();
      const std::scoped_lock lock(mutex);
      for (std::uint32_t i = 0; run.seconds != nullptr && i < run.step_count; ++i) {
        run.seconds[i] += scratch.seconds[i];
      }
    } catch (...) {  // must not leave the thread
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
  in_parallel(run.threads, [&](unsigned part) { add_tile_sums(run, part); });
}

}  // namespace backplane::plugin
