// Collects verdicts: lines for people as they come, a summary, and JSON.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "case.hpp"
#include "manifest.hpp"
#include "runner.hpp"
#include "supervisor.hpp"

namespace conformance {

class Report {
 public:
  Report(Manifest manifest, bool verbose) : manifest_(std::move(manifest)), verbose_(verbose) {}

  // Prints failures, with the line that repeats them; everything if verbose.
  void add(const Job& job, const Case& one, const Result& result);
  // Cases by operation and class, verdicts, the worst error, the seed.
  void print_summary() const;
  void write_json(const std::string& path) const;

  [[nodiscard]] std::size_t passed() const { return count(Verdict::pass); }
  // No failure, crash, mistrust or refusal beyond the manifest, and at least one case.
  [[nodiscard]] bool good() const noexcept { return bad_ == 0 && !entries_.empty(); }

 private:
  // Cases of each class of data, by operation.
  using CountTable = std::map<std::string, std::map<DataClass, std::size_t>>;
  struct Entry {
    Job job;
    std::string name, operation;
    DataClass data;
    Result result;
  };
  [[nodiscard]] std::size_t count(Verdict verdict) const;
  [[nodiscard]] CountTable counts() const;

  Manifest manifest_;
  bool verbose_;
  std::size_t bad_ = 0;
  std::vector<Entry> entries_;
};

// Error(invalid_argument) if it can't be written.
void write_file(const std::string& path, const std::string& text);

// The command that runs one case again, the environment that matters included.
[[nodiscard]] std::string repeat_command(const Job& job, const std::string& case_name);

}  // namespace conformance
