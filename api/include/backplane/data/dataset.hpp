// Datasets: samples that can be fetched by their index.
#pragma once

#include <cstdint>
#include <span>

#include "backplane/tensor.hpp"

namespace backplane {

// Some samples, on the host; the first dimension of both tensors counts them.
struct Batch {
  Tensor inputs, targets;
  std::uint32_t first_sample = 0;  // position of its first sample in the epoch, for begin_step()
  std::int64_t count = 0;
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  // The samples with these indices, in this order, as inputs and targets on the host. A loader
  // calls it from its own thread.
  [[nodiscard]] virtual Batch batch(std::span<const std::int64_t> indices) const = 0;
};

// Samples that lie in two host tensors, one after another along the first axis.
class TensorDataset : public Dataset {
 public:
  // Error(invalid_argument) if a tensor is not on the host or has no axis, or if the two have
  // different numbers of samples.
  TensorDataset(const Tensor& inputs, const Tensor& targets);

  [[nodiscard]] std::int64_t size() const override { return inputs_.size(0); }
  // Error(out_of_range) for an index outside [0, size()).
  [[nodiscard]] Batch batch(std::span<const std::int64_t> indices) const override;
  // The first `count` samples, sharing memory. Error(out_of_range) if there are fewer.
  [[nodiscard]] TensorDataset subset(std::int64_t count) const;

  [[nodiscard]] const Tensor& inputs() const noexcept { return inputs_; }
  [[nodiscard]] const Tensor& targets() const noexcept { return targets_; }

 private:
  Tensor inputs_, targets_;
};

}  // namespace backplane
