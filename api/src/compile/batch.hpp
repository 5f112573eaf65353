// Which values of a graph hold the samples of a batch, and which operations keep them apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compile/graph.hpp"

namespace backplane::detail {

// What an operation does with a batch.
enum class BatchRole {
  none,    // something else, or nothing with a batch at all
  sample,  // sample i of its outputs depends on sample i of its inputs alone
  sum      // its outputs are sums over the batch
};

class Batch {
 public:
  // A batch of so many samples; which storages hold it is found out step by step.
  Batch(const Graph& graph, std::int64_t samples);

  // Of which axis the samples are elements; -1: the value is no batch.
  [[nodiscard]] int axis(const GraphValue& value) const;
  // Whether a step's input is one sample after the other, not shared by all of them.
  [[nodiscard]] bool is_indexed(const GraphStep& step, std::size_t input) const;
  // Whether sample i of a value that is no part of the batch yet can be taken out of it.
  [[nodiscard]] bool can_slice(const GraphValue& value) const;
  [[nodiscard]] BatchRole role(const GraphStep& step) const;
  // Notes that a storage holds the batch, as this value shows it.
  void add(const GraphValue& value);

  [[nodiscard]] std::uint64_t sample_bytes(std::uint32_t storage) const {
    return sample_bytes_[storage];
  }
  [[nodiscard]] std::int64_t samples() const { return samples_; }

 private:
  [[nodiscard]] BatchRole matmul_role(const GraphStep& step) const;

  const Graph& graph_;
  std::int64_t samples_;
  std::vector<std::uint64_t> sample_bytes_;  // of storages; 0: no batch
};

}  // namespace backplane::detail
