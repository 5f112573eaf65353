// BenchReport as text for people and JSON for programs.
#include "bench_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "table.hpp"

namespace backplane::cli {
namespace {

std::string format_value(Unit unit, double value) {
  return unit == Unit::seconds ? format_seconds(value)
                               : fmt::format("{} {}", format_number(value), to_string(unit));
}

// A quantity that goes with a row's seconds, as a rate; "" where it isn't known.
std::string rate(const BenchRow& row, double quantity, double scale, std::string_view after) {
  if (quantity <= 0 || row.unit != Unit::seconds) return "";
  return fmt::format("{}{}", format_number(quantity / row.median() / scale), after);
}

std::string table_of(const BenchReport& report) {
  using enum Table::Align;
  const auto any = [&](auto&& has) {
    return std::any_of(report.rows.begin(), report.rows.end(), has);
  };
  const bool images = any([](const BenchRow& row) { return row.images > 0; });
  const bool work = any([](const BenchRow& row) { return row.work > 0; });
  std::vector<Table::Column> columns{{report.title, left}, {"median"}, {"min"}, {"max"}};
  if (images) columns.insert(columns.end(), {{"steps/s"}, {"images/s"}});
  if (work) columns.push_back({"GFLOP/s"});
  if (work && report.peaks) columns.push_back({"of FMA peak"});
  Table table(std::move(columns));
  for (const BenchRow& row : report.rows) {
    const auto [least, most] = std::minmax_element(row.values.begin(), row.values.end());
    std::vector<std::string> cells{row.name(), format_value(row.unit, row.median()),
                                   format_value(row.unit, *least), format_value(row.unit, *most)};
    if (images) {
      cells.push_back(rate(row, 1, 1, ""));
      cells.push_back(rate(row, row.images, 1, ""));
    }
    if (work) cells.push_back(rate(row, row.work, 1e9, ""));
    if (work && report.peaks) cells.push_back(rate(row, row.work, report.peaks->multiply_add, "x"));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace

std::string_view to_string(Unit unit) noexcept {
  return unit == Unit::seconds ? "s" : "images/s";
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

double BenchRow::median() const {
  return cli::median(values);
}

void BenchReport::add_ratio(const BenchRow& a, const BenchRow& b) {
  std::vector<double> values;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    values.push_back(a.unit == Unit::seconds ? b.values[i] / a.values[i]
                                             : a.values[i] / b.values[i]);
  }
  ratios.push_back({a.name() + ':' + b.party.name, cli::median(std::move(values))});
}

void BenchReport::add(std::vector<BenchRow> of_one_benchmark) {
  for (const BenchRow& ours : of_one_benchmark) {
    for (const BenchRow& peer : of_one_benchmark) {
      if (!ours.party.is_peer && peer.party.is_peer) add_ratio(ours, peer);
    }
  }
  for (BenchRow& row : of_one_benchmark) rows.push_back(std::move(row));
}

std::string to_json(const BenchReport& report) {
  using nlohmann::ordered_json;
  ordered_json rows = ordered_json::array(), ratios = ordered_json::array();
  ordered_json peaks = ordered_json::object();
  for (const BenchRow& row : report.rows) {
    const auto [least, most] = std::minmax_element(row.values.begin(), row.values.end());
    rows.push_back({{"name", row.name()},
                    {"device", row.party.device},
                    {"mode", row.party.mode},
                    {"precision", row.party.precision},
                    {"value", row.median()},
                    {"unit", to_string(row.unit)},
                    {"median", row.median()},
                    {"min", *least},
                    {"max", *most}});
  }
  for (const BenchRatio& ratio : report.ratios) {
    ratios.push_back({{"name", ratio.name}, {"value", ratio.value}});
  }
  if (report.peaks) {
    peaks = {{"threads", report.peaks->threads},
             {"fma_flop_per_second", report.peaks->multiply_add},
             {"copy_bytes_per_second", report.peaks->copy}};
  }
  const ordered_json document = {
      {"benchmark", report.benchmark}, {"rows", rows}, {"ratios", ratios}, {"peaks", peaks}};
  return document.dump(2) + '\n';
}

std::string to_text(const BenchReport& report) {
  std::string text = table_of(report);
  if (report.peaks) {
    text += fmt::format("peaks of {} threads: {} GFLOP/s of multiply-adds, {} GB/s copied\n",
                        report.peaks->threads, format_number(report.peaks->multiply_add / 1e9),
                        format_number(report.peaks->copy / 1e9));
  }
  for (const std::string& note : report.notes) text += note + '\n';
  for (const BenchRatio& ratio : report.ratios) {
    text += fmt::format("{}  {:.2f}\n", ratio.name, ratio.value);
  }
  return text;
}

}  // namespace backplane::cli
