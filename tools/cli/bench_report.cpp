// BenchReport as text for people and JSON for programs.
#include "bench_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "table.hpp"

namespace backplane::cli {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double BenchRow::median() const {
  return cli::median(seconds);
}

void BenchReport::add_ratio(const BenchRow& a, const BenchRow& b) {
  std::vector<double> values;
  for (std::size_t i = 0; i < a.seconds.size(); ++i) {
    values.push_back(b.seconds[i] / a.seconds[i]);
  }
  ratios.push_back({a.name + ':' + b.name, median(std::move(values))});
}

std::string to_json(const BenchReport& report) {
  using nlohmann::ordered_json;
  ordered_json rows = ordered_json::array(), ratios = ordered_json::array();
  for (const BenchRow& row : report.rows) {
    const auto [least, most] = std::minmax_element(row.seconds.begin(), row.seconds.end());
    rows.push_back({{"name", row.name},
                    {"device", row.device},
                    {"mode", row.mode},
                    {"precision", row.precision},
                    {"value", row.median()},
                    {"unit", "s"},
                    {"median", row.median()},
                    {"min", *least},
                    {"max", *most}});
  }
  for (const BenchRatio& ratio : report.ratios) {
    ratios.push_back({{"name", ratio.name}, {"value", ratio.value}});
  }
  const ordered_json document = {{"benchmark", report.benchmark},
                                 {"rows", rows},
                                 {"ratios", ratios},
                                 {"peaks", ordered_json::object()}};
  return document.dump(2) + '\n';
}

std::string to_text(const BenchReport& report, std::string_view unit) {
  using enum Table::Align;
  Table table({{fmt::format("time of one {}", unit), left}, {"median"}, {"min"}, {"max"}});
  for (const BenchRow& row : report.rows) {
    const auto [least, most] = std::minmax_element(row.seconds.begin(), row.seconds.end());
    table.add(
        {row.name, format_seconds(row.median()), format_seconds(*least), format_seconds(*most)});
  }
  std::string text = table.text();
  for (const std::string& note : report.notes) text += note + '\n';
  for (const BenchRatio& ratio : report.ratios) {
    text += fmt::format("{}  {:.2f}\n", ratio.name, ratio.value);
  }
  return text;
}

}  // namespace backplane::cli
