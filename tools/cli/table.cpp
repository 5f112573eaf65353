// Table: pads every cell to the widest of its column.
#include "table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace backplane::cli {

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].title.size();
    for (const auto& row : rows_) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](auto&& cell) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool left = columns_[c].align == Align::left;
      if (c != 0) line += "  ";
      line += left ? fmt::format("{:<{}}", cell(c), widths[c])
                   : fmt::format("{:>{}}", cell(c), widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add_line([&](std::size_t c) { return columns_[c].title; });
  add_line(
      [&](std::size_t c) { return std::string(columns_[c].title.empty() ? 0 : widths[c], '-'); });
  for (const auto& row : rows_) add_line([&](std::size_t c) { return row[c]; });
  return text;
}

std::string format_number(double value) {
  if (value < 0.9995) return fmt::format("{:#.3g}", value);
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes == 0) return "-";
  constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes)
                   : fmt::format("{} {}", format_number(value), units[unit]);
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds >= 1) return format_number(seconds) + " s";
  if (seconds >= 1e-3) return format_number(seconds * 1e3) + " ms";
  if (seconds >= 1e-6) return format_number(seconds * 1e6) + " us";
  return format_number(seconds * 1e9) + " ns";
}

}  // namespace backplane::cli
