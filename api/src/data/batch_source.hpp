// Where a loader's iterator gets its batches: made at the call, or ahead of it on a thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "backplane/data/data_loader.hpp"

namespace backplane {

class DataLoader::Iterator::Source {
 public:
  virtual ~Source() = default;
  // The next batch; one of count 0 after the last. Throws what the dataset threw.
  [[nodiscard]] virtual Batch next() = 0;
};

namespace detail {

// An epoch: the order of its samples, cut into batches.
class Epoch {
 public:
  // Batches go to pinned memory of `pins_for`, if it is one.
  Epoch(std::shared_ptr<const Dataset> dataset, std::vector<std::int64_t> order,
        std::int64_t batch_size, std::optional<Device> pins_for);
  // Makes the next batch; one of count 0 after the last.
  [[nodiscard]] Batch next();

 private:
  std::shared_ptr<const Dataset> dataset_;
  std::vector<std::int64_t> order_;
  std::size_t batch_size_, position_ = 0;
  std::optional<Device> pins_for_;
};

// Makes each batch when it is asked for.
class DirectSource final : public DataLoader::Iterator::Source {
 public:
  explicit DirectSource(Epoch epoch) : epoch_(std::move(epoch)) {}
  [[nodiscard]] Batch next() override { return epoch_.next(); }

 private:
  Epoch epoch_;
};

// Keeps up to `depth` batches ready, made by a thread that ends with this object.
class PrefetchSource final : public DataLoader::Iterator::Source {
 public:
  explicit PrefetchSource(Epoch epoch);
  ~PrefetchSource() override;
  [[nodiscard]] Batch next() override;

 private:
  static constexpr std::size_t depth = 2;  // a second one hides a batch that took longer
  void work();

  Epoch epoch_;  // the thread's alone
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> ready_;
  std::exception_ptr failure_;
  bool done_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace detail
}  // namespace backplane
