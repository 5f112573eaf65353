// When work really runs: at once, as late as it may, or in a seeded random order of streams.
#include <algorithm>

#include "runtime/machine.h"

namespace backplane::sim {
namespace {

// A card's queue holds about this many launches before the host has to wait.
constexpr std::size_t kQueueLength = 1024;

bool has_work(const CUstream_st& stream) {
  return stream.done < stream.enqueued;
}

}  // namespace

CUstream_st* Machine::create_stream(int device, bool blocking, unsigned flags, int priority) {
  auto stream = std::make_unique<CUstream_st>();
  stream->id = static_cast<int>(streams.size());
  stream->device = device;
  stream->blocking = blocking;
  stream->flags = flags;
  stream->priority = priority;
  streams.push_back(std::move(stream));  // never removed: events refer to it
  return streams.back().get();
}

CUstream_st* Machine::stream(cudaStream_t handle) {
  Device& device = devices[static_cast<size_t>(current_device())];
  if (handle == nullptr || handle == cudaStreamLegacy) return device.legacy;
  if (handle == cudaStreamPerThread) {
    const auto self = std::this_thread::get_id();
    for (const auto& [thread, stream] : device.per_thread) {
      if (thread == self) return stream;
    }
    device.per_thread.emplace_back(self, create_stream(current_device(), true, 0, 0));
    return device.per_thread.back().second;
  }
  const bool known = std::any_of(streams.begin(), streams.end(), [&](const auto& stream) {
    return stream.get() == handle && stream->alive;
  });
  return known ? handle : nullptr;
}

uint32_t Machine::random(uint32_t below) {
  random_state_ = random_state_ * 1664525u + 1013904223u;
  return (random_state_ >> 8) % below;
}

// The legacy stream waits for all earlier work of the blocking streams, and they for it.
void Machine::order_by_legacy_rule(CUstream_st& stream, Operation& operation) {
  CUstream_st* legacy = devices[static_cast<size_t>(stream.device)].legacy;
  if (&stream == legacy) {
    for (const auto& other : streams) {
      if (other.get() == legacy || !other->blocking || other->device != stream.device) continue;
      if (has_work(*other)) operation.waits.push_back({other.get(), other->enqueued});
      operation.clock.join(other->clock);
    }
  } else if (stream.blocking) {
    if (has_work(*legacy)) operation.waits.push_back({legacy, legacy->enqueued});
    operation.clock.join(legacy->clock);
  }
}

cudaError_t Machine::enqueue(CUstream_st& stream, Operation operation, CUgraphNode_st* node) {
  if (stream.capture) return capture(stream, std::move(operation), node);
  if (const cudaError_t error = legacy_conflict(stream); error != cudaSuccess) return error;
  count(operation.transfer, operation.bytes);
  order_by_legacy_rule(stream, operation);
  operation.clock.join(host_);
  stream.clock.join(operation.clock);
  stream.clock.set(stream.id, ++stream.enqueued);
  operation.clock = stream.clock;
  stream.queue.push_back(std::move(operation));
  if (settings.order == StreamOrder::eager) run_until(stream, stream.enqueued);
  if (stream.queue.size() > kQueueLength) run_until(stream, stream.done + 1);
  return devices[static_cast<size_t>(stream.device)].sticky;
}

// Now and then lets another stream go first, if nothing holds it back.
void Machine::maybe_run_another(CUstream_st& stream) {
  while (random(2) == 0) {
    CUstream_st& other = *streams[random(static_cast<uint32_t>(streams.size()))];
    if (&other == &stream || other.queue.empty()) return;
    const auto& waits = other.queue.front().waits;
    const bool free = std::all_of(waits.begin(), waits.end(), [](const Dependency& wait) {
      return wait.stream->done >= wait.count;
    });
    if (free) run_front(other);
  }
}

void Machine::run_until(CUstream_st& stream, uint64_t count) {
  while (stream.done < count) {
    if (settings.order == StreamOrder::random) maybe_run_another(stream);
    if (stream.done < count) run_front(stream);
  }
}

void Machine::run_front(CUstream_st& stream) {
  const uint64_t before = stream.done;
  const std::vector<Dependency> waits = stream.queue.front().waits;
  for (const Dependency& wait : waits) run_until(*wait.stream, wait.count);
  if (stream.done != before) return;  // it went on while others were run
  Operation operation = std::move(stream.queue.front());
  stream.queue.pop_front();
  ++stream.done;
  Device& device = devices[static_cast<size_t>(stream.device)];
  if (device.sticky != cudaSuccess) return;
  Footprint footprint;
  const cudaError_t error = operation.run(footprint);
  if (error != cudaSuccess) {
    if (device.sticky == cudaSuccess) device.sticky = error;
    return;
  }
  footprint.sort();
  const std::string race =
      history_.add({stream.id, stream.done, operation.what, std::move(footprint)}, operation.clock);
  if (!race.empty()) report_race(race);
}

void Machine::advance(CUstream_st& stream) {
  if (!stream.queue.empty()) run_front(stream);
}

void Machine::prune_history() {
  std::vector<const VectorClock*> queued;
  for (const auto& stream : streams) {
    if (!stream->queue.empty()) queued.push_back(&stream->queue.front().clock);
  }
  history_.prune(host_, queued);
}

void Machine::host_saw(const VectorClock& clock) {
  host_.join(clock);
  prune_history();
}

cudaError_t Machine::synchronise(CUstream_st& stream, uint64_t count, const VectorClock& clock) {
  ++statistics.synchronisations;
  run_until(stream, count);
  host_saw(clock);
  return devices[static_cast<size_t>(stream.device)].sticky;
}

cudaError_t Machine::synchronise(CUstream_st& stream) {
  return synchronise(stream, stream.enqueued, VectorClock(stream.clock));
}

cudaError_t Machine::synchronise_device(int device) {
  ++statistics.synchronisations;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    CUstream_st& stream = *streams[i];
    if (stream.device != device) continue;
    run_until(stream, stream.enqueued);
    host_.join(stream.clock);
  }
  prune_history();
  return devices[static_cast<size_t>(device)].sticky;
}

}  // namespace backplane::sim
