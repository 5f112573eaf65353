// Splits a graph into what runs once and what runs tile by tile over the batch.
#include "compile/tiles.hpp"

#include <algorithm>
#include <map>

#include "compile/batch.hpp"
#include "compile/passes.hpp"

namespace backplane::detail {
namespace {

using Kind = GraphStorage::Kind;

enum class Phase { before, region, after };

// Intermediate values of a tile should fit into a core's second-level cache beside the weights, and
// what they amount to over the batch should be more than that cache holds.
constexpr std::uint64_t cache_bytes = 1 << 20;
constexpr std::int64_t most_samples = 16;

std::int64_t samples_of(const Graph& graph) {
  for (const GraphStep& step : graph.steps) {
    for (const GraphValue& value : step.inputs) {
      const GraphStorage& storage = graph.storages[value.storage];
      if (storage.kind == Kind::argument && storage.argument == 0) {
        return value.spec.shape.rank() == 0 ? 0 : value.spec.shape[0];
      }
    }
  }
  return 0;
}

class Splitter {
 public:
  Splitter(Graph graph, std::int64_t samples)
      : graph_(std::move(graph)),
        uses_(graph_),
        batch_(graph_, samples),
        phases_(graph_.steps.size(), Phase::after),
        late_(graph_.storages.size(), false),
        local_(graph_.storages.size(), false) {}

  std::optional<TiledGraph> split() {
    find_arguments();
    for (std::size_t i = 0; i < graph_.steps.size(); ++i) assign(i);
    for (std::uint32_t i = 0; i < local_.size(); ++i) local_[i] = is_local(i);
    const std::uint64_t sample_bytes = live_bytes();
    if (saved_bytes() < 2 * cache_bytes) return std::nullopt;
    const std::int64_t wanted = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(cache_bytes / std::max<std::uint64_t>(sample_bytes, 1)), 1,
        most_samples);
    std::int64_t tile = std::min(wanted, batch_.samples());
    while (batch_.samples() % tile != 0) --tile;
    // Each tile reads all weights again, which must cost less than what stays in the cache saves.
    const auto tiles = static_cast<std::uint64_t>(batch_.samples() / tile);
    if (saved_bytes() < tiles * shared_bytes()) return std::nullopt;
    return build(tile);
  }

 private:
  [[nodiscard]] bool holds_batch(const GraphValue& value) const {
    return batch_.sample_bytes(value.storage) != 0;
  }
  [[nodiscard]] bool is_local(std::uint32_t storage) const;
  void find_arguments();
  void assign(std::size_t number);
  [[nodiscard]] std::uint64_t saved_bytes() const;
  [[nodiscard]] std::uint64_t shared_bytes() const;
  [[nodiscard]] std::uint64_t live_bytes() const;
  [[nodiscard]] TiledGraph build(std::int64_t tile);

  Graph graph_;
  GraphUses uses_;
  Batch batch_;
  std::vector<Phase> phases_;
  std::vector<bool> late_;   // storages that aren't complete before the region has ended
  std::vector<bool> local_;  // storages that are made and used up within it
};

void Splitter::find_arguments() {
  for (const GraphStep& step : graph_.steps) {
    for (const GraphValue& value : step.inputs) {
      const bool argument = graph_.storages[value.storage].kind == Kind::argument;
      const bool written = !uses_.writes[value.storage].empty();
      // One that is the same for all samples is no batch, though it has as many elements.
      const bool rows = value.spec.strides == row_major(value.spec.shape);
      if (argument && !written && rows && value.offset == 0 && batch_.can_slice(value)) {
        batch_.add(value);
      }
    }
  }
}

void Splitter::assign(std::size_t number) {
  const GraphStep& step = graph_.steps[number];
  const auto is_late = [&](const GraphValue& value) { return late_[value.storage]; };
  const bool waits =
      std::ranges::any_of(step.inputs, is_late) || std::ranges::any_of(step.outputs, is_late);
  const bool once = std::ranges::all_of(
      step.outputs, [&](const GraphValue& value) { return uses_.writer(value) >= 0; });
  const bool own = std::ranges::all_of(
      step.outputs, [&](const GraphValue& value) { return graph_.is_internal(value); });
  const BatchRole role = waits || !once ? BatchRole::none : batch_.role(step);
  const auto whole = [&](const GraphValue& value) {
    const auto bytes = static_cast<std::uint64_t>(value.spec.shape.count()) * sizeof(float);
    return value.offset == 0 && bytes == graph_.storages[value.storage].bytes;
  };
  Phase& phase = phases_[number];
  if (role == BatchRole::sample ||
      (role == BatchRole::sum && std::ranges::all_of(step.outputs, whole))) {
    phase = Phase::region;
  } else if (!waits && once && own && !step.refreshed &&
             std::ranges::none_of(step.inputs, [&](const auto& v) { return holds_batch(v); })) {
    phase = Phase::before;
  }
  for (const GraphValue& output : step.outputs) {
    if (phase == Phase::region && role == BatchRole::sample) batch_.add(output);
    if (phase == Phase::after || (phase == Phase::region && role == BatchRole::sum)) {
      late_[output.storage] = true;
    }
  }
}

// Whether a batch is made and used up within the region.
bool Splitter::is_local(std::uint32_t storage) const {
  if (graph_.storages[storage].kind != Kind::internal || batch_.sample_bytes(storage) == 0) {
    return false;
  }
  const auto in_region = [&](int step) {
    return step < static_cast<int>(phases_.size()) &&
           phases_[static_cast<std::size_t>(step)] == Phase::region;
  };
  return std::ranges::all_of(uses_.reads[storage], in_region) &&
         std::ranges::all_of(uses_.writes[storage], in_region);
}

std::uint64_t Splitter::saved_bytes() const {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < graph_.storages.size(); ++i) {
    if (local_[i]) bytes += batch_.sample_bytes(i) * static_cast<std::uint64_t>(batch_.samples());
  }
  return bytes;
}

// What all tiles read.
std::uint64_t Splitter::shared_bytes() const {
  std::vector<bool> read(graph_.storages.size(), false);
  for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
    if (phases_[i] != Phase::region) continue;
    for (const GraphValue& value : graph_.steps[i].inputs) {
      if (!holds_batch(value)) read[value.storage] = true;
    }
  }
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < read.size(); ++i) bytes += read[i] ? graph_.storages[i].bytes : 0;
  return bytes;
}

// The most that one sample has alive at a time.
std::uint64_t Splitter::live_bytes() const {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
    std::uint64_t bytes = 0;
    for (std::uint32_t storage = 0; storage < graph_.storages.size(); ++storage) {
      if (!local_[storage] || uses_.writes[storage].empty()) continue;
      const int now = static_cast<int>(i), first = uses_.writes[storage].front();
      const int last = uses_.reads[storage].empty() ? first : uses_.reads[storage].back();
      if (first <= now && now <= last) bytes += batch_.sample_bytes(storage);
    }
    most = std::max(most, bytes);
  }
  return most;
}

// Makes the graph of one tile, value by value.
class TileBuilder {
 public:
  TileBuilder(const Graph& graph, const Batch& batch, std::int64_t tile,
              const std::vector<bool>& local)
      : graph_(graph), batch_(batch), tile_(tile), local_(local) {
    region.graph.device = graph.device;
    region.samples = static_cast<std::uint32_t>(tile);
    region.tiles = static_cast<std::uint32_t>(batch.samples() / tile);
  }

  void add(const GraphStep& step) {
    const bool sums = batch_.role(step) == BatchRole::sum;
    GraphStep tiled = step;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      tiled.inputs[i] = input(step.inputs[i], batch_.is_indexed(step, i));
    }
    for (GraphValue& value : tiled.outputs) value = sums ? sum(value) : batched(value);
    if (sums) tiled.adds_to = (1u << tiled.outputs.size()) - 1;
    region.graph.steps.push_back(std::move(tiled));
  }

  TileRegion region;

 private:
  using Placed = TilePlacement::Kind;

  GraphValue input(const GraphValue& value, bool indexed) {
    if (batch_.axis(value) >= 0) return batched(value);
    if (!indexed) return moved(value, Placed::shared, 0);
    GraphValue cut = value;
    cut.spec.shape[0] = tile_;
    if (value.spec.strides[0] == 0) return moved(cut, Placed::shared, 0);
    const std::uint64_t row =
        static_cast<std::uint64_t>(value.spec.strides[0]) * size_of(value.spec.dtype);
    return moved(cut, Placed::slice, row);
  }

  GraphValue batched(const GraphValue& value) {
    GraphValue cut = value;
    cut.spec.shape[static_cast<std::size_t>(batch_.axis(value))] = tile_;
    const bool local = local_[value.storage];
    return moved(cut, local ? Placed::local : Placed::slice, batch_.sample_bytes(value.storage));
  }

  GraphValue sum(const GraphValue& value) { return moved(value, Placed::sum, 0); }

  GraphValue moved(GraphValue value, Placed kind, std::uint64_t sample_bytes) {
    const auto [place, fresh] =
        numbers_.try_emplace({value.storage, kind}, static_cast<std::uint32_t>(numbers_.size()));
    if (fresh) {
      GraphStorage storage = graph_.storages[value.storage];
      storage.kind = kind == Placed::local   ? Kind::internal
                     : kind == Placed::slice ? Kind::argument
                                             : Kind::outside;
      storage.memory = nullptr;
      if (kind == Placed::local || kind == Placed::slice) {
        storage.bytes = sample_bytes * static_cast<std::uint64_t>(tile_);
      }
      region.graph.add_storage(std::move(storage));
      region.placements.push_back({kind, value.storage, sample_bytes});
    }
    value.storage = place->second;
    return value;
  }

  const Graph& graph_;
  const Batch& batch_;
  std::int64_t tile_;
  const std::vector<bool>& local_;
  std::map<std::pair<std::uint32_t, Placed>, std::uint32_t> numbers_;
};

TiledGraph Splitter::build(std::int64_t tile) {
  std::vector<bool> crosses(graph_.storages.size(), false);
  for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
    if (phases_[i] != Phase::region) continue;
    for (const auto* values : {&graph_.steps[i].inputs, &graph_.steps[i].outputs}) {
      for (const GraphValue& value : *values) crosses[value.storage] = !local_[value.storage];
    }
  }
  // What crosses the region's border lies in rows, in memory that nothing else uses.
  for (std::uint32_t i = 0; i < crosses.size(); ++i) {
    if (crosses[i] && graph_.storages[i].kind == Kind::internal) {
      fix_layout(graph_, i);
    }
  }
  TileBuilder builder(graph_, batch_, tile, local_);
  TiledGraph tiled;
  std::vector<GraphStep> after;
  for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
    if (phases_[i] == Phase::region) {
      builder.add(graph_.steps[i]);
    } else {
      (phases_[i] == Phase::before ? tiled.graph.steps : after).push_back(graph_.steps[i]);
    }
  }
  tiled.at = tiled.graph.steps.size();
  std::ranges::move(after, std::back_inserter(tiled.graph.steps));
  tiled.region = std::move(builder.region);
  tiled.graph.device = graph_.device;
  tiled.graph.results = graph_.results;
  tiled.graph.storages = graph_.storages;
  for (std::uint32_t i = 0; i < crosses.size(); ++i) {
    GraphStorage& storage = tiled.graph.storages[i];
    if (crosses[i] && storage.kind == Kind::internal) storage.kind = Kind::kept;
  }
  return tiled;
}

}  // namespace

std::optional<TiledGraph> split_into_tiles(const Graph& graph) {
  const std::int64_t samples = samples_of(graph);
  if (samples < 2) return std::nullopt;
  Graph changed = graph;
  loss_by_sample(changed);
  return Splitter(std::move(changed), samples).split();
}

}  // namespace backplane::detail
