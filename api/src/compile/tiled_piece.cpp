// A region that runs tile by tile.
#include "compile/tiled_piece.hpp"

#include <algorithm>
#include <cstddef>

#include "check.hpp"
#include "compile/scalars.hpp"
#include "device/device_state.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {
namespace {

using Placed = TilePlacement::Kind;

// Beyond a cache line: the memory of two threads never shares a line that is fetched as a pair.
constexpr std::uint64_t line = 128;

}  // namespace

TiledPiece::TiledPiece(TileRegion region, const PlanSettings& settings)
    : region_(std::move(region)),
      threads_(std::min(settings.threads, region_.tiles)),
      keeps_constants_(settings.prepares) {
  PlanSettings one = settings;
  one.threads = 1;
  one.prepares = true;
  Graph& graph = region_.graph;
  steps_ = Planner(graph, one).plan();
  std::vector<bool> placed(graph.storages.size());
  for (std::size_t i = 0; i < placed.size(); ++i) {
    placed[i] = graph.storages[i].kind == GraphStorage::Kind::internal;
  }
  const Placement placement = place_storages(graph, steps_, placed, line);
  local_offsets_ = placement.offsets;
  std::uint64_t at = placement.bytes;
  for (std::size_t i = 0; i < region_.placements.size(); ++i) {
    if (region_.placements[i].kind != Placed::sum) continue;
    local_offsets_[i] = at;
    at += round_up(graph.storages[i].bytes, line);
  }
  workspace_at_ = at;
  std::uint64_t workspace = 0;
  for (const PlannedStep& step : steps_) {
    workspace = std::max(workspace, step.entry->workspace_bytes);
    prepared_offsets_.push_back(prepared_bytes_);
    prepared_bytes_ += round_up(step.entry->prepared_bytes, line);
  }
  local_bytes_ = round_up(workspace_at_ + workspace, line);
  seconds_.assign(steps_.size(), 0);
}

std::uint64_t TiledPiece::bytes() const {
  return threads_ * local_bytes_ + prepared_bytes_;
}

void TiledPiece::set_block(std::shared_ptr<Storage> block, std::uint64_t offset) {
  block_ = std::move(block);
  block_offset_ = offset;
}

bp_tile_arg TiledPiece::bind(const Place& place, const MemoryOf& memory_of) const {
  bp_tile_arg bound{};
  // Storages that planning added are local as well.
  const TilePlacement where = place.storage < region_.placements.size()
                                  ? region_.placements[place.storage]
                                  : TilePlacement{};
  if (where.kind == Placed::local || where.kind == Placed::sum) {
    bound.place = BP_TILE_LOCAL;
    bound.arg.offset = local_offsets_[place.storage] + place.offset;
    return bound;
  }
  bound.arg = memory_of(where.storage);
  bound.arg.offset += place.offset;
  bound.place = where.kind == Placed::slice ? BP_TILE_SLICE : BP_TILE_SHARED;
  bound.stride = where.sample_bytes * region_.samples;
  return bound;
}

void TiledPiece::find_sums(const MemoryOf& memory_of) {
  sums_.clear();
  for (std::size_t i = 0; i < region_.placements.size(); ++i) {
    if (region_.placements[i].kind != Placed::sum) continue;
    sums_.push_back({local_offsets_[i], region_.graph.storages[i].bytes / sizeof(float),
                     memory_of(region_.placements[i].storage)});
  }
}

void TiledPiece::prepare(const std::shared_ptr<StreamState>& stream) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const PlannedStep& step = steps_[i];
    if (step.entry->prepared_bytes == 0) continue;
    std::vector<bp_arg> inputs;
    for (const bp_tile_arg& input : bound_[i].inputs) {
      inputs.push_back(input.place == BP_TILE_SHARED ? input.arg : bp_arg{});
    }
    enqueue_preparation({*step.entry,
                         step.step.operation,
                         inputs,
                         {},
                         block_->at(block_offset_ + workspace_at_),
                         bound_[i].prepared},
                        stream);
  }
}

void TiledPiece::run(const MemoryOf& memory_of, const GeneratorState& draws,
                     const std::shared_ptr<StreamState>& stream, bool profiled) {
  bound_.resize(steps_.size());
  operations_.clear();
  tile_steps_.clear();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    bound_[i].inputs.clear();
    bound_[i].outputs.clear();
    for (const Place& place : steps_[i].inputs) bound_[i].inputs.push_back(bind(place, memory_of));
    for (const Place& place : steps_[i].outputs)
      bound_[i].outputs.push_back(bind(place, memory_of));
    if (steps_[i].entry->prepared_bytes != 0) {
      bound_[i].prepared =
          block_->at(block_offset_ + threads_ * local_bytes_ + prepared_offsets_[i]);
    }
    operations_.push_back(current_operation(steps_[i].step, draws));
  }
  if (!is_prepared_) prepare(stream);
  is_prepared_ = keeps_constants_;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto scalars = operations_[i].scalars();
    bp_tile_step step{};
    step.plan = steps_[i].entry->plan;
    step.inputs = bound_[i].inputs.data();
    step.outputs = bound_[i].outputs.data();
    step.input_count = static_cast<std::uint32_t>(bound_[i].inputs.size());
    step.output_count = static_cast<std::uint32_t>(bound_[i].outputs.size());
    step.scalars = scalars.data();
    step.scalar_bytes = static_cast<std::uint32_t>(scalars.size());
    step.sample_at =
        steps_[i].step.draws ? offsetof(op::PhiloxScalars, first_sample) : BP_NO_SAMPLE;
    step.prepared = bound_[i].prepared;
    tile_steps_.push_back(step);
  }
  find_sums(memory_of);
  bp_tiled_run run{};
  run.struct_size = sizeof run;
  run.tiles = region_.tiles;
  run.tile_samples = region_.samples;
  run.threads = threads_;
  run.steps = tile_steps_.data();
  run.sums = sums_.data();
  run.step_count = static_cast<std::uint32_t>(tile_steps_.size());
  run.sum_count = static_cast<std::uint32_t>(sums_.size());
  run.locals = block_->at(block_offset_);
  run.local_bytes = local_bytes_;
  run.workspace = workspace_at_;
  run.seconds = profiled ? seconds_.data() : nullptr;

  DeviceState& device = stream->device;
  const std::scoped_lock lock(stream->mutex);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const std::uint64_t number = stream->next_operation(operations_[i].row().name);
    if (i == 0) run.sequence = number;
  }
  const bp_status status = device.table().run_tiled(stream->open_queue(), &run);
  if (status != BP_OK) {
    check(status, *device.backend, fmt::format("{}: a tiled run failed", device.name));
  }
}

void TiledPiece::add_to(std::vector<CompiledPiece>& pieces) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    pieces.push_back({std::string(steps_[i].step.operation.name()), steps_[i].entry->implementation,
                      true, seconds_[i]});
  }
}

}  // namespace backplane::detail
