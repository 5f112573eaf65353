// One block for all intermediate values: the largest first, each at the lowest place that is free
// while it lives.
#include <algorithm>
#include <numeric>

#include "compile/planner.hpp"

namespace backplane::detail {

Placement place_storages(const Graph& graph, const std::vector<PlannedStep>& steps,
                         const std::vector<bool>& placed, std::uint64_t alignment) {
  struct Life {
    std::size_t first, last;
    bool used;
  };
  std::vector<Life> lives(graph.storages.size(), {0, 0, false});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const auto* places : {&steps[i].inputs, &steps[i].outputs}) {
      for (const Place& place : *places) {
        Life& life = lives[place.storage];
        if (!life.used) life = {i, i, true};
        life.last = i;
      }
    }
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < lives.size(); ++i) {
    if (lives[i].used && placed[i]) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return graph.storages[a].bytes > graph.storages[b].bytes;
  });
  Placement placement{std::vector<std::uint64_t>(graph.storages.size(), 0), 0};
  const auto rounded = [&](std::uint64_t bytes) { return round_up(bytes, alignment); };
  std::vector<std::uint32_t> done;  // by offset
  for (const std::uint32_t storage : order) {
    std::uint64_t at = 0;
    for (const std::uint32_t other : done) {
      const bool meet =
          lives[other].first <= lives[storage].last && lives[storage].first <= lives[other].last;
      if (!meet) continue;
      if (placement.offsets[other] >= at + rounded(graph.storages[storage].bytes)) break;
      at = std::max(at, placement.offsets[other] + rounded(graph.storages[other].bytes));
    }
    placement.offsets[storage] = at;
    placement.bytes = std::max(placement.bytes, at + rounded(graph.storages[storage].bytes));
    const auto place = std::ranges::upper_bound(
        done, at, {}, [&](std::uint32_t other) { return placement.offsets[other]; });
    done.insert(place, storage);
  }
  return placement;
}

}  // namespace backplane::detail
