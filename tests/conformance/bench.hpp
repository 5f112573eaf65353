// The tensors of one case: on the device behind guards, and on the host as the oracle gets them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "backplane/observe/oracle.hpp"
#include "case.hpp"
#include "guards.hpp"

namespace conformance {

class Bench {
 public:
  // The same seed gives all layouts of a row the same numbers. `one` must outlive the bench.
  Bench(const Case& one, backplane::Device device, std::uint64_t seed);

  // Sets everything as it was before the first run.
  void prepare();
  // Enqueues the operation; returns the kernel's name.
  std::string run() const;
  // Waits, and returns the outputs on the host. `fault` says what memory was changed that may not
  // be, or stayed as it was; empty: none.
  [[nodiscard]] std::vector<Tensor> read(std::string& fault) const;
  // What the outputs must be: the row's answers, or the oracle's.
  [[nodiscard]] backplane::Expectation expectation() const;

 private:
  [[nodiscard]] std::uint32_t adds_to() const { return case_.adds ? row_.adds_to : 0; }
  [[nodiscard]] bool adds(std::size_t output) const { return (adds_to() >> output & 1) != 0; }
  [[nodiscard]] bool is_updated(std::size_t input) const;
  [[nodiscard]] const GuardedTensor& output(std::size_t i) const;
  [[nodiscard]] Tensor draw(const Argument& argument, std::mt19937_64& random) const;
  [[nodiscard]] backplane::Expectation written_answers() const;

  const Case& case_;
  const Row& row_;
  std::vector<GuardedTensor> inputs_, outputs_;
  std::vector<Tensor> input_values_, previous_, oracle_inputs_;
};

}  // namespace conformance
