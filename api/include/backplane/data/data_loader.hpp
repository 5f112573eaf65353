// DataLoader: a dataset in batches, in a seeded order, the next batch made while this one is used.
#pragma once

#include <concepts>
#include <iterator>
#include <memory>

#include "backplane/data/dataset.hpp"

namespace backplane {

struct DataLoaderOptions {
  std::int64_t batch_size = 1;
  bool shuffle = false;
  std::uint64_t seed = 0;  // of the order; the same order everywhere
  bool drop_last = false;  // leave out a last batch that isn't full
  bool prefetch = true;    // make batches on a thread of its own, host memory only
  // Puts batches where the default device (of the thread that calls begin()) reads by itself, so
  // that to() neither copies them first nor waits. No effect on devices without such memory.
  bool pin_memory = false;
};

// for (const Batch& batch : loader) ... is one epoch; each has its own order. The loop may be left
// at any time. What the dataset throws arrives where the batch would have.
class DataLoader {
 public:
  // Error(invalid_argument) if batch_size is not positive, or if drop_last would leave nothing.
  DataLoader(std::shared_ptr<const Dataset> dataset, const DataLoaderOptions& options);
  template <std::derived_from<Dataset> D>
  DataLoader(D dataset, const DataLoaderOptions& options)
      : DataLoader(std::make_shared<const D>(std::move(dataset)), options) {}

  class Iterator;
  [[nodiscard]] Iterator begin();  // starts the next epoch
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

  // Which epoch the next begin() starts; counted from 0.
  void set_epoch(std::uint32_t epoch) noexcept { epoch_ = epoch; }
  [[nodiscard]] std::int64_t batch_count() const;   // of an epoch
  [[nodiscard]] std::int64_t sample_count() const;  // of an epoch, without what is dropped

 private:
  std::shared_ptr<const Dataset> dataset_;
  DataLoaderOptions options_;
  std::uint32_t epoch_ = 0;
};

// Moves through one epoch; owns the thread that makes the batches and stops it when it goes.
class DataLoader::Iterator {
 public:
  class Source;
  explicit Iterator(std::unique_ptr<Source> source);
  Iterator(Iterator&&) noexcept;
  Iterator& operator=(Iterator&&) noexcept;
  ~Iterator();

  [[nodiscard]] const Batch& operator*() const noexcept { return batch_; }
  [[nodiscard]] const Batch* operator->() const noexcept { return &batch_; }
  Iterator& operator++();  // waits until the next batch is made
  [[nodiscard]] friend bool operator==(const Iterator& i, std::default_sentinel_t) noexcept {
    return i.batch_.count == 0;
  }

 private:
  std::unique_ptr<Source> source_;
  Batch batch_;
};

}  // namespace backplane
