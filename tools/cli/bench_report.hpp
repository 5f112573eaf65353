// Figures of a benchmark: rows of repeated measurements, and ratios of two rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace backplane::cli {

struct BenchRow {
  std::string name;  // as in "mnist/onednn:0/eager/f32/standard"
  std::string device, mode, precision;
  std::vector<double> seconds;  // one for each repeat; not empty

  [[nodiscard]] double median() const;
};

struct BenchRatio {
  std::string name;  // "A:B", the time of B over the time of A: above 1, A is faster
  double value;
};

struct BenchReport {
  std::string benchmark;
  std::vector<BenchRow> rows;
  std::vector<BenchRatio> ratios;
  std::vector<std::string> notes;  // conditions, and peers that are absent

  // The median over the repeats of b's time over a's: rows that were measured in turn drift
  // together, so their ratio is steadier than the two medians. Both have as many repeats.
  void add_ratio(const BenchRow& a, const BenchRow& b);
};

[[nodiscard]] double median(std::vector<double> values);  // not empty

[[nodiscard]] std::string to_json(const BenchReport& report);
// `unit` names what the seconds are of, as in "step".
[[nodiscard]] std::string to_text(const BenchReport& report, std::string_view unit);

}  // namespace backplane::cli
