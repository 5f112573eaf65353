// Runs one case on one device and gives its verdict.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "backplane/device.hpp"
#include "bench.hpp"
#include "case.hpp"

namespace conformance {

enum class Verdict {
  pass,
  fail,
  unsupported,  // the device declines, in words
  mistrusted,   // nothing was compared, or nearly everything was 0
  crash         // the process died, or took too long
};
[[nodiscard]] std::string_view to_string(Verdict verdict);

struct Result {
  Verdict verdict = Verdict::pass;
  std::string detail;          // what is wrong, or why it was declined
  std::string implementation;  // the kernel that ran
  double worst_error_over_bound = 0;
  double seconds = 0;
};

class Runner {
 public:
  struct Options {
    backplane::Device device;
    std::uint64_t seed = 1;
    backplane::Numerics numerics = backplane::Numerics::strict;  // of real data; else always strict
  };
  explicit Runner(const Options& options) : options_(options) {}

  // Never throws: what goes wrong is the verdict.
  [[nodiscard]] Result run(const Case& one);

 private:
  [[nodiscard]] Result judged(const Case& one);
  [[nodiscard]] Result run_row(const Case& one);
  [[nodiscard]] const backplane::Expectation& expectation_of(const Case& one, const Bench& bench);

  Options options_;
  // Layouts of a row share their numbers, and so the oracle's work. Repeated elements change them.
  struct Kept {
    std::shared_ptr<const Row> row;
    DataClass data = DataClass::exact;
    bool adds = false, expanded = false;
    backplane::Expectation expectation = {};
  } kept_;
};

}  // namespace conformance
