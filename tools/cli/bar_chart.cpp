// A bar chart as an SVG picture, written by hand: a handful of elements need no library.
#include "bar_chart.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace backplane::cli {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

std::string bar_chart(std::string_view title, const std::vector<Bar>& bars) {
  // Sizes in pixels. The right part is kept free for the label of the longest bar.
  constexpr double longest = 420, row = 36, top = 56, bar = 22;
  double largest = 0, name_width = 120;
  for (const Bar& b : bars) {
    largest = std::max(largest, b.value);
    name_width = std::max(name_width, 8 * static_cast<double>(b.name.size()) + 20);
  }
  const double width = name_width + longest + 260;
  const double height = top + row * static_cast<double>(bars.size()) + 12;

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" "
      "font-family=\"sans-serif\" font-size=\"14\" role=\"img\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
      "<text x=\"16\" y=\"30\" font-size=\"17\" fill=\"#222\">{2}</text>\n",
      width, height, escaped(title));
  double y = top;
  for (const Bar& b : bars) {
    // A bar too short to see still shows where it starts.
    const double length = std::max(1.0, largest > 0 ? b.value / largest * longest : 0);
    const double middle = y + bar / 2 + 5;
    svg += fmt::format(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#222\">{}</text>\n"
        "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"#2a6fb0\"/>\n"
        "<text x=\"{:.1f}\" y=\"{}\" fill=\"#222\">{}</text>\n",
        name_width - 10, middle, escaped(b.name), name_width, y, length, bar,
        name_width + length + 8, middle, escaped(b.label));
    y += row;
  }
  return svg + "</svg>\n";
}

}  // namespace backplane::cli
