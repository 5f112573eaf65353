// The plans of one device.
#include "dispatch/plan_cache.hpp"

#include <algorithm>

#include "check.hpp"
#include "device/device_state.hpp"

namespace backplane {
namespace detail {
namespace {

// Multiply and fold: a few nanoseconds for a key of some twenty words.
std::uint64_t hash_of(KeyWords words) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (const std::uint64_t word : words) {
    const auto product = static_cast<unsigned __int128>(hash ^ word) * 0xD6E8FEB86659FD93u;
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return hash;
}

}  // namespace

void PlanEntry::close() noexcept {
  if (plan != nullptr) device->table().plan_destroy(plan);
  plan = nullptr;
}

std::shared_ptr<PlanEntry> PlanCache::find(KeyWords key) {
  const Probe probe{key, hash_of(key)};
  const std::scoped_lock lock(mutex_);
  const auto found = map_.find(probe);
  if (found == map_.end()) {
    ++stats_.misses;
    return nullptr;
  }
  ++stats_.hits;
  if (found->second.place != order_.begin()) {
    order_.splice(order_.begin(), order_, found->second.place);
  }
  return found->second.entry;
}

std::shared_ptr<PlanEntry> PlanCache::insert(KeyWords key, std::shared_ptr<PlanEntry> entry) {
  const std::scoped_lock lock(mutex_);
  const auto [place, fresh] = map_.try_emplace(Key{{key.begin(), key.end()}, hash_of(key)});
  if (!fresh) return place->second.entry;  // another thread was faster
  order_.push_front(&place->first);
  place->second = {entry, order_.begin()};
  evict();
  return entry;
}

void PlanCache::evict() {
  while (map_.size() > std::max<std::size_t>(stats_.capacity, 1)) {
    map_.erase(map_.find(*order_.back()));
    order_.pop_back();
    ++stats_.evictions;
  }
}

void PlanCache::clear() {
  const std::scoped_lock lock(mutex_);
  map_.clear();
  order_.clear();
}

void PlanCache::set_capacity(std::size_t plans) {
  if (plans == 0) reject("plan cache: the capacity must be at least one plan");
  const std::scoped_lock lock(mutex_);
  stats_.capacity = plans;
  evict();
}

PlanCacheStats PlanCache::stats() const {
  const std::scoped_lock lock(mutex_);
  PlanCacheStats now = stats_;
  now.size = map_.size();
  return now;
}

}  // namespace detail

PlanCacheStats plan_cache_stats(Device device) { return device.state().plans.stats(); }
void set_plan_cache_capacity(Device device, std::size_t plans) {
  device.state().plans.set_capacity(plans);
}

}  // namespace backplane
