// Table: rows of text in columns that line up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace backplane::cli {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);  // one for each column
  [[nodiscard]] std::string text() const;    // with a line under the titles

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Three digits, such as 1622, 12.3 or 0.0120: what a measurement is good for.
[[nodiscard]] std::string format_number(double value);
// As in "1.5 GiB"; "-" for 0, which stands for unknown.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
// As in "1.52 s", "13.0 ms", "812 ns": three digits.
[[nodiscard]] std::string format_seconds(double seconds);

}  // namespace backplane::cli
