// Repeats a program as one sequence of the device.
#include "compile/sequencer.hpp"

#include "check.hpp"
#include "device/device_state.hpp"
#include "stream/stream_state.hpp"

namespace backplane::detail {

Sequencer::Sequencer(const Graph& graph, const Bound& bound, const std::vector<bool>& written,
                     const std::shared_ptr<StreamState>& stream, const EnqueueAll& enqueue_all)
    : stream_(stream) {
  std::vector<bool> is_result(graph.storages.size(), false);
  for (const GraphValue& result : graph.results) is_result[result.storage] = true;
  Bound fixed = bound;
  for (std::uint32_t i = 0; i < graph.storages.size(); ++i) {
    const GraphStorage& storage = graph.storages[i];
    const bool is_argument = storage.kind == GraphStorage::Kind::argument;
    const bool is_new = is_result[i] && storage.memory == nullptr && !is_argument;
    if ((!is_argument && !is_new) || &bound.memory[i]->device != graph.device) continue;
    const auto own = std::make_shared<Storage>(*graph.device, storage.bytes);
    moved_.push_back({i, storage.bytes, own, is_argument, written[i]});
    fixed.memory[i] = own;
    fixed.offsets[i] = 0;
  }
  sequence_ = std::make_shared<SequenceState>(stream, [&] { enqueue_all(fixed); });
  graph.device->sequences.add(sequence_);
}

void Sequencer::copy(const Storage& source, std::uint64_t from, const Storage& target,
                     std::uint64_t to, std::uint64_t bytes) const {
  if (bytes == 0) return;
  const DeviceState& device = stream_->device;
  const std::scoped_lock lock(stream_->mutex);
  check(device.table().copy(stream_->open_queue(), source.at(from), target.at(to), bytes),
        *device.backend, device.name);
}

void Sequencer::run(const Bound& bound, std::span<const Operation> operations) const {
  std::vector<bp_scalars> scalars;
  for (const Operation& operation : operations) {
    const auto bytes = operation.scalars();
    if (!bytes.empty()) scalars.push_back({bytes.data(), bytes.size()});
  }
  for (const Moved& moved : moved_) {
    const Storage& memory = *bound.memory[moved.storage];
    if (moved.in) copy(memory, bound.offsets[moved.storage], *moved.own, 0, moved.bytes);
  }
  sequence_->run(scalars);
  for (const Moved& moved : moved_) {
    const Storage& memory = *bound.memory[moved.storage];
    if (moved.out) copy(*moved.own, 0, memory, bound.offsets[moved.storage], moved.bytes);
  }
}

}  // namespace backplane::detail
