// Splits a graph into what runs once and what runs tile by tile over the batch, depth first.
#pragma once

#include <optional>
#include <vector>

#include "compile/graph.hpp"

namespace backplane::detail {

// Where a storage of the tile's graph lies.
struct TilePlacement {
  enum class Kind {
    shared,  // the same for all tiles: `storage` of the whole graph
    slice,   // a tile's samples of `storage`
    local,   // each thread's own, for the time of a tile
    sum      // each thread's own, added up into `storage` at the end
  };
  Kind kind = Kind::local;
  std::uint32_t storage = 0;
  std::uint64_t sample_bytes = 0;
};

struct TileRegion {
  Graph graph;                            // of one tile
  std::vector<TilePlacement> placements;  // of its storages
  std::uint32_t tiles = 0, samples = 0;   // samples of one tile
};

struct TiledGraph {
  Graph graph;         // without the region
  std::size_t at = 0;  // the region runs before step `at`
  TileRegion region;
};

// Nothing where there is no batch, or too little in it that would stay in the cache.
[[nodiscard]] std::optional<TiledGraph> split_into_tiles(const Graph& graph);

}  // namespace backplane::detail
