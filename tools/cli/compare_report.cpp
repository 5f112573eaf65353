// CompareReport as text for people and JSON for programs.
#include "compare_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bar_chart.hpp"
#include "table.hpp"

namespace backplane::cli {
namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json to_json(const Agreement& agreement) {
  return {{"steps", agreement.steps},
          {"max_relative_loss_difference", agreement.max_relative_loss_difference},
          {"operations_checked", agreement.operations_checked},
          {"worst_operation", agreement.worst_operation},
          {"worst_error_over_bound", agreement.worst_error_over_bound},
          {"agrees", agreement.agrees}};
}

ordered_json to_json(const CompareRow& row) {
  return {{"device", row.device},
          {"mode", row.mode},
          {"precision", "f32"},
          {"images", row.images},
          {"epochs", row.epochs},
          {"seconds_per_epoch", row.seconds_per_epoch},
          {"extrapolated", row.extrapolated},
          {"images_per_second", row.images_per_second},
          {"speedup", or_null(row.speedup)},
          {"test_accuracy", or_null(row.test_accuracy)},
          {"final_loss", row.final_loss},
          {"peak_memory_bytes", row.peak_memory_bytes},
          {"process_peak_bytes", row.process_peak_bytes},
          {"bytes_to_device", row.bytes_to_device},
          {"bytes_from_device", row.bytes_from_device},
          {"agreement", row.agreement ? to_json(*row.agreement) : ordered_json()}};
}

std::string agreement_cell(const CompareRow& row) {
  return !row.agreement ? "-" : row.agreement->agrees ? "yes" : "NO";
}

// What the table's cells can't hold: how far the numbers agree, and what was extrapolated.
std::string notes(const CompareReport& report) {
  std::string text;
  for (const CompareRow& row : report.rows) {
    if (row.extrapolated) {
      text += fmt::format("{}: * extrapolated from {} images\n", row.device, row.images);
    }
    if (!row.agreement) continue;
    const Agreement& agreement = *row.agreement;
    text += fmt::format(
        "{}: {} with the reference: losses of {} steps differ by at most {:.1e}; of {} operations "
        "{} came closest to its error bound, at {:.2f} of it\n",
        row.device, agreement.agrees ? "agrees" : "DISAGREES", agreement.steps,
        agreement.max_relative_loss_difference, agreement.operations_checked,
        agreement.worst_operation.empty() ? "none" : agreement.worst_operation,
        agreement.worst_error_over_bound);
    if (!agreement.first_failure.empty()) {
      text += fmt::format("{}: first outside its bound: {}\n", row.device, agreement.first_failure);
    }
  }
  return text;
}

}  // namespace

bool CompareReport::agrees() const {
  return std::none_of(rows.begin(), rows.end(), [](const CompareRow& r) { return r.disagrees(); });
}

void set_speedups(CompareReport& report) {
  const auto baseline =
      std::find_if(report.rows.begin(), report.rows.end(),
                   [&](const CompareRow& row) { return row.device == report.baseline; });
  if (baseline == report.rows.end() || baseline->disagrees()) return;
  for (CompareRow& row : report.rows) {
    if (!row.disagrees()) row.speedup = baseline->seconds_per_epoch / row.seconds_per_epoch;
  }
}

std::string to_json(const CompareReport& report) {
  ordered_json results = ordered_json::array();
  for (const CompareRow& row : report.rows) results.push_back(to_json(row));
  const ordered_json document = {{"model", report.model},           {"seed", report.seed},
                                 {"threads", report.threads},       {"batch", report.batch},
                                 {"numerics", report.numerics},     {"results", results},
                                 {"absent", to_json(report.absent)}};
  return document.dump(2) + '\n';
}

std::string to_text(const CompareReport& report) {
  using enum Table::Align;
  double fastest = 0;
  for (const CompareRow& row : report.rows) fastest = std::max(fastest, row.images_per_second);
  Table table({{"device", left},
               {"s/epoch"},
               {"images/s"},
               {"speed-up"},
               {"accuracy"},
               {"loss"},
               {"memory"},
               {"to device"},
               {"from"},
               {"agrees"},
               {"", left}});
  for (const CompareRow& row : report.rows) {
    constexpr double bar_width = 16;
    const auto bar = std::lround(row.images_per_second / fastest * bar_width);
    table.add({row.device, format_number(row.seconds_per_epoch) + (row.extrapolated ? "*" : ""),
               fmt::format("{:.0f}", row.images_per_second),
               row.speedup ? format_number(*row.speedup) + 'x' : "-",
               row.test_accuracy ? fmt::format("{:.2f} %", *row.test_accuracy * 100) : "-",
               fmt::format("{:.4f}", row.final_loss), format_bytes(row.peak_memory_bytes),
               format_bytes(row.bytes_to_device), format_bytes(row.bytes_from_device),
               agreement_cell(row), fmt::format("{:#<{}}", "", bar)});
  }
  return fmt::format(
      "{}{}, batch {}, seed {}, {} threads, numerics {}; speed-up against {}\n\n{}\n{}{}",
      report.model, report.compile ? ", compiled" : "", report.batch, report.seed, report.threads,
      report.numerics, report.baseline, table.text(), notes(report), to_text(report.absent));
}

std::string to_svg(const CompareReport& report) {
  std::vector<Bar> bars;
  for (const CompareRow& row : report.rows) {
    const std::string speedup = row.speedup       ? ", " + format_number(*row.speedup) + 'x'
                                : row.disagrees() ? ", numbers disagree"
                                                  : "";
    bars.push_back({row.device, row.images_per_second,
                    fmt::format("{:.0f} images/s{}{}", row.images_per_second, speedup,
                                row.extrapolated ? " (extrapolated)" : "")});
  }
  return bar_chart(fmt::format("Training {}: images a second, batch {}, numerics {}", report.model,
                               report.batch, report.numerics),
                   bars);
}

}  // namespace backplane::cli
