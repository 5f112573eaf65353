// DataLoader: checks its options, and opens epochs.
#include "backplane/data/data_loader.hpp"

#include <limits>

#include "check.hpp"
#include "data/batch_source.hpp"
#include "data/order.hpp"

namespace backplane {

DataLoader::DataLoader(std::shared_ptr<const Dataset> dataset, const DataLoaderOptions& options)
    : dataset_(std::move(dataset)), options_(options) {
  if (dataset_ == nullptr) detail::reject("DataLoader: there must be a data set, got null");
  if (options.batch_size < 1) {
    detail::reject("DataLoader: batch_size must be positive, got {}", options.batch_size);
  }
  const std::int64_t size = dataset_->size();
  if (options.drop_last && options.batch_size > size) {
    detail::reject(
        "DataLoader: with drop_last a batch must not be larger than the data set, got"
        " batch_size {} for {} samples; make batches smaller or keep the last one",
        options.batch_size, size);
  }
  if (size > std::int64_t{std::numeric_limits<std::uint32_t>::max()}) {
    detail::reject(
        "DataLoader: a data set may hold 2^32 - 1 samples, got {}; random draws number"
        " them in 32 bits",
        size);
  }
}

std::int64_t DataLoader::batch_count() const {
  const std::int64_t whole = dataset_->size() / options_.batch_size;
  const bool partial = dataset_->size() % options_.batch_size != 0 && !options_.drop_last;
  return whole + (partial ? 1 : 0);
}

std::int64_t DataLoader::sample_count() const {
  const std::int64_t size = dataset_->size();
  return options_.drop_last ? size - size % options_.batch_size : size;
}

DataLoader::Iterator DataLoader::begin() {
  const std::int64_t size = dataset_->size();
  std::vector<std::int64_t> order = options_.shuffle
                                        ? detail::shuffled_order(size, options_.seed, epoch_)
                                        : detail::given_order(size);
  ++epoch_;
  order.resize(static_cast<std::size_t>(sample_count()));
  std::optional<Device> pins_for;
  if (options_.pin_memory) pins_for = default_device();
  detail::Epoch epoch(dataset_, std::move(order), options_.batch_size, pins_for);
  if (options_.prefetch) {
    return Iterator(std::make_unique<detail::PrefetchSource>(std::move(epoch)));
  }
  return Iterator(std::make_unique<detail::DirectSource>(std::move(epoch)));
}

DataLoader::Iterator::Iterator(std::unique_ptr<Source> source)
    : source_(std::move(source)), batch_(source_->next()) {}

DataLoader::Iterator::Iterator(Iterator&&) noexcept = default;
DataLoader::Iterator& DataLoader::Iterator::operator=(Iterator&&) noexcept = default;
DataLoader::Iterator::~Iterator() = default;

DataLoader::Iterator& DataLoader::Iterator::operator++() {
  batch_ = source_->next();
  return *this;
}

}  // namespace backplane
