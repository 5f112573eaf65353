// A region that runs tile by tile: plans for one tile, the threads' memory, and the sums at the
// end.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backplane/compile.hpp"
#include "backplane/random.hpp"
#include "compile/planner.hpp"
#include "compile/tiles.hpp"

namespace backplane::detail {

class TiledPiece {
 public:
  // Error(unsupported) where the device declines a step for one tile.
  TiledPiece(TileRegion region, const PlanSettings& settings);

  // How many bytes of the program's block it needs, and where they begin.
  [[nodiscard]] std::uint64_t bytes() const;
  void set_block(std::shared_ptr<Storage> block, std::uint64_t offset);

  // `memory_of` gives where a storage of the whole graph begins.
  using MemoryOf = std::function<bp_arg(std::uint32_t storage)>;
  void run(const MemoryOf& memory_of, const GeneratorState& draws,
           const std::shared_ptr<StreamState>& stream, bool profiled);

  void add_to(std::vector<CompiledPiece>& pieces) const;

 private:
  struct Bound {
    std::vector<bp_tile_arg> inputs, outputs;
    bp_arg prepared{};
  };
  [[nodiscard]] bp_tile_arg bind(const Place& place, const MemoryOf& memory_of) const;
  void prepare(const std::shared_ptr<StreamState>& stream);
  void find_sums(const MemoryOf& memory_of);

  TileRegion region_;
  std::uint32_t threads_;
  bool keeps_constants_;  // shared operands never change: they are prepared once
  bool is_prepared_ = false;
  std::vector<PlannedStep> steps_;
  std::vector<std::uint64_t> local_offsets_;  // of the tile's storages in a thread's memory
  std::uint64_t workspace_at_ = 0, local_bytes_ = 0;
  std::vector<std::uint64_t> prepared_offsets_;  // of steps
  std::uint64_t prepared_bytes_ = 0;
  std::shared_ptr<Storage> block_;
  std::uint64_t block_offset_ = 0;
  // Of the run that goes on, kept so that the next one needs no memory.
  std::vector<Bound> bound_;
  std::vector<Operation> operations_;
  std::vector<bp_tile_step> tile_steps_;
  std::vector<bp_tile_sum> sums_;
  std::vector<double> seconds_;
};

}  // namespace backplane::detail
