// Figures of a benchmark: rows of repeated measurements, and ratios of two rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bar_chart.hpp"
#include "peaks.hpp"

namespace backplane::cli {

// What the values of a row are. Of seconds fewer are better, of the others more.
enum class Unit { seconds, images_per_second };
[[nodiscard]] std::string_view to_string(Unit unit) noexcept;  // as in "images/s"

// Who is measured: ours on a device, or a peer.
struct Party {
  std::string name;  // as in "onednn:0/eager/f32/standard" or "torch/eager/f32"
  std::string device, mode, precision;
  bool is_peer = false;
};

struct BenchRow {
  std::string benchmark;  // as in "mnist"
  Party party;
  std::vector<double> values{};  // one for each repeat; not empty
  Unit unit = Unit::seconds;
  // In so many seconds, where it is known: images that went through, and the multiplications and
  // additions that the plain algorithm has.
  double images = 0, work = 0;

  [[nodiscard]] std::string name() const { return benchmark + '/' + party.name; }
  [[nodiscard]] double median() const;
};

struct BenchRatio {
  std::string name;  // "A:B", A a row and B a party: B's time over A's, so above 1, A is faster
  double value;
};

struct BenchReport {
  std::string benchmark;
  std::string title;  // of the table, as in "time of one step"
  std::vector<BenchRow> rows{};
  std::vector<BenchRatio> ratios{};
  std::vector<std::string> notes{};  // conditions, and peers that are absent
  std::optional<Peaks> peaks{};
  std::string picture_title{};
  std::vector<Bar> bars{};  // of the picture, where there is one

  // Rows of one benchmark: they are listed, and each of ours gets its ratios to all peers.
  void add(std::vector<BenchRow> of_one_benchmark);

  // The median over the repeats of b's time over a's: rows that were measured in turn drift
  // together, so their ratio is steadier than the two medians. Both have the same unit and as many
  // repeats.
  void add_ratio(const BenchRow& a, const BenchRow& b);
};

// Of values that aren't none. The percentile is by the nearest rank: the least of the values that
// is not below so large a part of them.
[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] double percentile(std::vector<double> values, double part);

[[nodiscard]] std::string to_json(const BenchReport& report);
[[nodiscard]] std::string to_text(const BenchReport& report);

}  // namespace backplane::cli
