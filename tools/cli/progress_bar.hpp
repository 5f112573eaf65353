// ProgressBar: how far a run is, on the standard error.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace backplane::cli {

// On a terminal one line that is redrawn; elsewhere, and for logs, a plain line every tenth.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();  // leaves the cursor on a fresh line

  // `fraction` in [0, 1]; `detail` follows the bar, as in "3012 images/s, 12 s left".
  void show(double fraction, std::string_view detail);

 private:
  void redraw(double fraction, std::string_view detail);

  std::string label_;
  bool on_terminal_;
  bool drawn_ = false;
  int next_tenth_ = 1;
  std::chrono::steady_clock::time_point last_{};
};

// The detail of a run that handles images.
[[nodiscard]] std::string format_rate(double images_per_second, double seconds_left);

}  // namespace backplane::cli
