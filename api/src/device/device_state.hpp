// What the core knows of one device: its plug-in, memory, plans, streams and counters.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "backend/backend.hpp"
#include "backplane/buffer.hpp"
#include "backplane/device.hpp"
#include "device/live_list.hpp"
#include "dispatch/plan_cache.hpp"
#include "memory/allocator.hpp"
#include "memory/pinned.hpp"

namespace backplane::detail {

struct EventState;
class SequenceState;
struct StreamState;

struct TransferCounters {
  std::atomic<std::uint64_t> bytes_to_device{0}, bytes_from_device{0}, bytes_from_peers{0};
  std::atomic<std::uint64_t> uploads{0}, downloads{0}, peer_copies{0};
};

// Those of the registry live until the process ends; close() gives the vendor's resources back in
// between.
struct DeviceState {
  DeviceState(const Backend* plugin, std::uint32_t index);
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  // The open device; opened at first use. Null for the host, which has no plug-in.
  [[nodiscard]] bp_device* handle();
  [[nodiscard]] const bp_backend& table() const { return *backend->table; }
  [[nodiscard]] std::shared_ptr<StreamState> default_stream();
  void close();

  [[nodiscard]] bool uses_host_memory() const { return memory_space == BP_MEMORY_HOST; }

  const Backend* const backend;
  const std::uint32_t index;
  std::string name, backend_name, description, driver, unique_id;
  DeviceKind kind = DeviceKind::host;
  std::uint32_t memory_space = BP_MEMORY_HOST, compute_units = 0;
  std::uint64_t memory_bytes = 0;
  TransferCounters transfers;
  Allocator allocator;
  PinnedPool pinned;
  PlanCache plans;
  LiveList<StreamState> streams;
  LiveList<EventState> events;
  LiveList<SequenceState> sequences;
  LiveList<PlanEntry> held_plans;  // by programs, beside the cache

 private:
  void read_info();

  std::mutex mutex_;
  std::atomic<bp_device*> handle_{nullptr};
  std::shared_ptr<StreamState> default_stream_;
};

}  // namespace backplane::detail
