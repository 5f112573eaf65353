// Where a loader's iterator gets its batches: made at the call, or ahead of it on a thread.
#include "data/batch_source.hpp"

#include <algorithm>

#include "check.hpp"
#include "data/pinned_batch.hpp"

namespace backplane::detail {

namespace {

// Datasets are written by users: what they return is checked where it comes in.
void check_samples(const Tensor& tensor, std::size_t count, std::string_view what) {
  if (!tensor.defined() || !tensor.device().is_host() || tensor.rank() == 0 ||
      tensor.size(0) != static_cast<std::int64_t>(count)) {
    reject(
        "DataLoader: the data set's batch() must return host tensors of as many samples as there"
        " are indices, got {} of {} for {} indices",
        what,
        tensor.defined() ? to_string(tensor.shape()) + " on " + tensor.device().name()
                         : std::string("no tensor"),
        count);
  }
}

}  // namespace

Epoch::Epoch(std::shared_ptr<const Dataset> dataset, std::vector<std::int64_t> order,
             std::int64_t batch_size, std::optional<Device> pins_for)
    : dataset_(std::move(dataset)),
      order_(std::move(order)),
      batch_size_(static_cast<std::size_t>(batch_size)),
      pins_for_(pins_for) {}

Batch Epoch::next() {
  const std::size_t count = std::min(batch_size_, order_.size() - position_);
  if (count == 0) return {};
  Batch batch = dataset_->batch(std::span(order_).subspan(position_, count));
  check_samples(batch.inputs, count, "inputs");
  check_samples(batch.targets, count, "targets");
  if (pins_for_) batch = pinned_batch(std::move(batch), *pins_for_);
  batch.first_sample = static_cast<std::uint32_t>(position_);
  batch.count = static_cast<std::int64_t>(count);
  position_ += count;
  return batch;
}

PrefetchSource::PrefetchSource(Epoch epoch)
    : epoch_(std::move(epoch)), thread_([this] { work(); }) {}

PrefetchSource::~PrefetchSource() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PrefetchSource::work() {
  try {
    for (bool more = true; more;) {
      Batch batch = epoch_.next();
      more = batch.count > 0;
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || ready_.size() < depth; });
      if (stopping_) return;
      if (more) {
        ready_.push_back(std::move(batch));
      } else {
        done_ = true;
      }
      changed_.notify_all();
    }
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

Batch PrefetchSource::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || done_ || failure_ != nullptr; });
  if (!ready_.empty()) {
    Batch batch = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
    return batch;
  }
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  return {};
}

}  // namespace backplane::detail
