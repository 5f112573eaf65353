// The plans of one device, found by operation, tensors and settings; least recently used first out.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backplane/plan.hpp"
#include "backplane/plugin/abi.h"

namespace backplane::detail {

struct DeviceState;

// A plan with the layouts it wants and gives, or the reason why the device declined.
struct PlanEntry {
  PlanEntry() = default;
  ~PlanEntry() { close(); }
  PlanEntry(const PlanEntry&) = delete;
  PlanEntry& operator=(const PlanEntry&) = delete;

  // Gives the plan back; it can't be run afterwards.
  void close() noexcept;

  DeviceState* device = nullptr;
  std::optional<Operation> operation;  // that it was made for
  bp_plan* plan = nullptr;
  bp_status status = BP_OK;
  std::string refusal;

  std::vector<TensorSpec> inputs, outputs;
  std::vector<std::uint64_t> output_bytes;
  std::vector<bool> reorder;  // inputs that came in another layout
  bool reorders = false;
  std::uint64_t workspace_bytes = 0, prepared_bytes = 0;
  std::string implementation;
};

// A key is a line of words, built by plan_key() in a buffer of the thread.
using KeyWords = std::span<const std::uint64_t>;

class PlanCache {
 public:
  explicit PlanCache(DeviceState& device) : device_(device) {}
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  // The entry of that key, made by `make` if it isn't there. Declined plans are kept as well.
  template <class Make>
  std::shared_ptr<PlanEntry> find_or_make(KeyWords key, Make&& make) {
    if (auto found = find(key)) return found;
    std::shared_ptr<PlanEntry> made = make();  // outside the lock: it may compile kernels
    return insert(key, std::move(made));
  }

  void clear();
  void set_capacity(std::size_t plans);
  [[nodiscard]] PlanCacheStats stats() const;

 private:
  struct Key {
    std::vector<std::uint64_t> words;
    std::uint64_t hash;
  };
  struct Probe {
    KeyWords words;
    std::uint64_t hash;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Key& key) const noexcept { return key.hash; }
    std::size_t operator()(const Probe& probe) const noexcept { return probe.hash; }
  };
  struct Equal {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
      return a.hash == b.hash && std::equal(a.words.begin(), a.words.end(), b.words.begin(), b.words.end());
    }
  };
  struct Node;
  using Map = std::unordered_map<Key, Node, Hash, Equal>;
  using Order = std::list<const Key*>;
  struct Node {
    std::shared_ptr<PlanEntry> entry;
    Order::iterator place;
  };

  std::shared_ptr<PlanEntry> find(KeyWords key);
  std::shared_ptr<PlanEntry> insert(KeyWords key, std::shared_ptr<PlanEntry> entry);
  void evict();

  DeviceState& device_;
  mutable std::mutex mutex_;
  Map map_;
  Order order_;  // most recently used first
  PlanCacheStats stats_{0, 0, 0, 0, 1024};
};

}  // namespace backplane::detail
