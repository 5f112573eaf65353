// A bar chart as an SVG picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace backplane::cli {

struct Bar {
  std::string name;   // to the left of it
  double value;       // not negative
  std::string label;  // to the right of it
};

// Horizontal bars from zero, so that lengths compare as the values do.
[[nodiscard]] std::string bar_chart(std::string_view title, const std::vector<Bar>& bars);

}  // namespace backplane::cli
