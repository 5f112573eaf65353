// The objects of one kind that a device has given out: its shutdown closes those still held.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace backplane::detail {

template <class T>
class LiveList {
 public:
  void add(const std::shared_ptr<T>& object) {
    const std::scoped_lock lock(mutex_);
    if (known_.size() >= sweep_at_) {
      std::erase_if(known_, [](const auto& one) { return one.expired(); });
      sweep_at_ = 2 * known_.size() + 16;
    }
    known_.push_back(object);
  }

  [[nodiscard]] std::vector<std::shared_ptr<T>> all() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::shared_ptr<T>> live;
    for (const auto& one : known_) {
      if (auto object = one.lock()) live.push_back(std::move(object));
    }
    return live;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<T>> known_;
  std::size_t sweep_at_ = 16;  // so that looking for those that are gone costs little on average
};

}  // namespace backplane::detail
