// ProgressBar: redraws at most ten times a second.
#include "progress_bar.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace backplane::cli {

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
  constexpr int width = 24;
  const auto filled = static_cast<int>(std::lround(fraction * width));
  // \r returns to the line's start, ESC [K clears what a longer text left behind.
  fmt::print(stderr, "\r{} [{:=<{}}{:<{}}] {:3.0f} %  {}\x1b[K", label_, "", filled, "",
             width - filled, fraction * 100, detail);
}

std::string format_rate(double images_per_second, double seconds_left) {
  return fmt::format("{:.0f} images/s, {:.0f} s left", images_per_second,
                     std::max(seconds_left, 0.0));
}

}  // namespace backplane::cli
