// What `backplane compare` found out, and the forms it is given in: table, JSON, picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absent.hpp"

namespace backplane::cli {

// How a device's numbers compare with the reference's; see compare_agreement.hpp.
struct Agreement {
  std::int64_t steps = 0;
  double max_relative_loss_difference = 0;
  std::int64_t operations_checked = 0;
  std::string worst_operation;
  double worst_error_over_bound = 0;
  std::string first_failure;  // empty: every operation met its bound
  bool agrees = false;
};

struct CompareRow {
  std::string device, mode;             // eager or compiled
  std::int64_t images = 0, epochs = 0;  // really run
  double seconds_per_epoch = 0;         // of all images, also where extrapolated
  bool extrapolated = false;
  double images_per_second = 0;
  std::optional<double> speedup, test_accuracy;
  double final_loss = 0;
  std::uint64_t peak_memory_bytes = 0, process_peak_bytes = 0;
  std::uint64_t bytes_to_device = 0, bytes_from_device = 0;
  std::optional<Agreement> agreement;  // none for the reference

  [[nodiscard]] bool disagrees() const { return agreement && !agreement->agrees; }
};

struct CompareReport {
  std::string model, numerics, baseline;
  std::uint64_t seed = 0;
  std::uint32_t threads = 0;
  std::int64_t batch = 0;
  bool compile = false;
  std::vector<CompareRow> rows;
  std::vector<Absent> absent;

  [[nodiscard]] bool agrees() const;
};

// Fills in `speedup` of each row against the baseline's; none where either one disagrees.
void set_speedups(CompareReport& report);

[[nodiscard]] std::string to_json(const CompareReport& report);
[[nodiscard]] std::string to_text(const CompareReport& report);
[[nodiscard]] std::string to_svg(const CompareReport& report);

}  // namespace backplane::cli
