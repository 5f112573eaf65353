// The modes in which benchmarks run this library: how a step is taken, in which precision and
// numerics.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backplane/autocast.hpp"
#include "backplane/device.hpp"

namespace CLI {
class App;
}

namespace backplane::cli {

struct Mode {
  std::string_view kind, precision;
  Numerics numerics;

  [[nodiscard]] bool compiles() const { return kind == "compiled"; }
  [[nodiscard]] std::optional<DType> autocast() const {
    return precision == "bf16" ? std::optional(DType::bf16) : std::nullopt;
  }
};

// All there are.
[[nodiscard]] std::span<const Mode> all_modes();
[[nodiscard]] std::string to_string(const Mode& mode);  // as in "eager/f32/standard"

// Computes in this mode while it lives.
class ModeGuard {
 public:
  explicit ModeGuard(const Mode& mode) : numerics_(mode.numerics), autocast_(mode.autocast()) {}

 private:
  NumericsGuard numerics_;
  AutocastGuard autocast_;
};

// Which of them to measure.
struct ModeSettings {
  std::vector<std::string> names;  // none: all

  void add_to(CLI::App& command);
  // Those of one level of numerics if it is given. Error(invalid_argument) if none is left.
  [[nodiscard]] std::vector<Mode> chosen(const std::string& numerics) const;
};

}  // namespace backplane::cli
