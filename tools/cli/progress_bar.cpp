// ProgressBar: redraws at most ten times a second.
#include "progress_bar.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace backplane::cli {
namespace {

// Asked each time, because a window can change while the bar runs.
int terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A line that wraps can't be redrawn, so the bar gives way first, and then the end of the text.
std::string fit_line(std::string_view label, double fraction, std::string_view detail,
                     std::size_t columns) {
  const std::string text = fmt::format("{:3.0f} %  {}", fraction * 100, detail);
  constexpr std::size_t widest = 24, narrowest = 4;
  const std::size_t taken = label.size() + text.size() + std::string_view(" [] ").size();
  std::string line;
  if (taken + narrowest <= columns) {
    const std::size_t width = std::min(widest, columns - taken);
    const auto filled =
        static_cast<std::size_t>(std::lround(fraction * static_cast<double>(width)));
    line = fmt::format("{} [{:=<{}}{:<{}}] {}", label, "", filled, "", width - filled, text);
  } else {
    line = fmt::format("{} {}", label, text);
  }
  line.resize(std::min(line.size(), columns));
  return line;
}

}  // namespace

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), on_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\n", stderr);
}

void ProgressBar::show(double fraction, std::string_view detail) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  if (on_terminal_) return redraw(fraction, detail);
  // A little more than the fraction, because 0.7 of some counts rounds to just below 7 tenths.
  const int tenth = static_cast<int>(fraction * 10 + 1e-9);
  if (tenth < next_tenth_) return;
  next_tenth_ = tenth + 1;
  fmt::print(stderr, "{}: {:.0f} %, {}\n", label_, fraction * 100, detail);
}

void ProgressBar::redraw(double fraction, std::string_view detail) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (fraction < 1 && now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  // The last column stays free: some terminals wrap once it is written.
  const int columns = std::max(terminal_columns() - 1, 0);
  // \r returns to the line's start, ESC [K clears what a longer text left behind.
  fmt::print(stderr, "\r{}\x1b[K",
             fit_line(label_, fraction, detail, static_cast<std::size_t>(columns)));
}

std::string format_rate(double images_per_second, double seconds_left) {
  return fmt::format("{:.0f} images/s, {:.0f} s left", images_per_second,
                     std::max(seconds_left, 0.0));
}

}  // namespace backplane::cli
