// What a step did, as data.
#include "compile/graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/tensor_impl.hpp"

namespace backplane::detail {

void clear_step(GraphStep& step) {
  step.inputs.clear();
  step.outputs.clear();
}

void drop_cleared_steps(Graph& graph) {
  std::erase_if(graph.steps, [](const GraphStep& step) { return step.outputs.empty(); });
}

std::uint32_t Graph::add_storage(GraphStorage storage) {
  storages.push_back(std::move(storage));
  return static_cast<std::uint32_t>(storages.size() - 1);
}

GraphValue Graph::add_value(DType dtype, const Shape& shape) {
  const auto bytes = static_cast<std::uint64_t>(shape.count()) * size_of(dtype);
  GraphStorage storage{.kind = GraphStorage::Kind::internal, .bytes = bytes};
  return {add_storage(std::move(storage)), 0, {.dtype = dtype, .shape = shape}, true};
}

namespace {

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

}  // namespace

std::string difference(const Graph& a, const Graph& b) {
  for (std::size_t i = 0; i < std::min(a.steps.size(), b.steps.size()); ++i) {
    const GraphStep &x = a.steps[i], &y = b.steps[i];
    if (x.operation.row().id != y.operation.row().id) {
      return fmt::format("operation {} is {} in one call and {} in the next", i, x.operation.name(),
                         y.operation.name());
    }
  }
  if (a.steps.size() != b.steps.size()) {
    return fmt::format("there are {} operations in one call and {} in the next", a.steps.size(),
                       b.steps.size());
  }
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const GraphStep &x = a.steps[i], &y = b.steps[i];
    if (!same_bytes(x.operation.params(), y.operation.params()) || x.adds_to != y.adds_to) {
      return fmt::format("operation {}, {}, has other parameters in the next call", i,
                         x.operation.name());
    }
    if (x.inputs != y.inputs || x.outputs != y.outputs) {
      return fmt::format("operation {}, {}, has other operands in the next call", i,
                         x.operation.name());
    }
  }
  const auto same_storage = [](const GraphStorage& x, const GraphStorage& y) {
    return x.kind == y.kind && x.bytes == y.bytes && x.argument == y.argument &&
           (x.kind != GraphStorage::Kind::outside || x.memory == y.memory);
  };
  if (!std::ranges::equal(a.storages, b.storages, same_storage)) {
    return "a tensor that the step finds there is another one in the next call";
  }
  return a.results == b.results ? "" : "the results differ from call to call";
}

int stale_scalars(const Graph& a, const Graph& b) {
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const GraphStep &x = a.steps[i], &y = b.steps[i];
    if (x.refreshed && y.refreshed) continue;
    if (!same_bytes(x.operation.scalars(), y.operation.scalars())) return static_cast<int>(i);
  }
  return -1;
}

GraphUses::GraphUses(const Graph& graph)
    : writes(graph.storages.size()), reads(graph.storages.size()) {
  for (const GraphStorage& storage : graph.storages) {
    was_internal.push_back(storage.kind == GraphStorage::Kind::internal);
  }
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    const auto note = [&](const std::vector<GraphValue>& values, auto& lists) {
      for (const GraphValue& value : values) {
        std::vector<int>& list = lists[value.storage];
        if (list.empty() || list.back() != static_cast<int>(i)) list.push_back(static_cast<int>(i));
      }
    };
    note(graph.steps[i].inputs, reads);
    note(graph.steps[i].outputs, writes);
  }
  for (const GraphValue& value : graph.results) {
    reads[value.storage].push_back(static_cast<int>(graph.steps.size()));
  }
}

int GraphUses::writer(const GraphValue& value) const {
  const std::vector<int>& list = writes[value.storage];
  return list.size() == 1 ? list.front() : -1;
}

int GraphUses::only_reader(const Graph& graph, const GraphValue& value) const {
  const std::vector<int>& list = reads[value.storage];
  if (!graph.is_internal(value) || writer(value) < 0 || list.size() != 1) return -1;
  if (list.front() == static_cast<int>(graph.steps.size())) return -1;
  return list.front();
}

}  // namespace backplane::detail
