// Modes: the list of them, and the choice on the command line.
#include "bench_modes.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

namespace backplane::cli {

std::span<const Mode> all_modes() {
  static constexpr std::array modes{
      Mode{"compiled", "f32", Numerics::standard},  Mode{"compiled", "f32", Numerics::strict},
      Mode{"compiled", "bf16", Numerics::standard}, Mode{"eager", "f32", Numerics::standard},
      Mode{"eager", "f32", Numerics::strict},       Mode{"eager", "bf16", Numerics::standard},
  };
  return modes;
}

std::string to_string(const Mode& mode) {
  return fmt::format("{}/{}/{}", mode.kind, mode.precision, backplane::to_string(mode.numerics));
}

void ModeSettings::add_to(CLI::App& command) {
  std::vector<std::string> all;
  for (const Mode& mode : all_modes()) all.push_back(to_string(mode));
  command.add_option("--modes", names, "Of ours, as in eager/f32/standard (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(all));
}

std::vector<Mode> ModeSettings::chosen(const std::string& numerics) const {
  std::vector<Mode> result;
  for (const Mode& mode : all_modes()) {
    const bool named =
        names.empty() || std::find(names.begin(), names.end(), to_string(mode)) != names.end();
    if (named && (numerics.empty() || numerics == backplane::to_string(mode.numerics)))
      result.push_back(mode);
  }
  if (result.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("bench: none of the modes is of numerics {}; leave out --numerics or "
                            "--modes",
                            numerics));
  }
  return result;
}

}  // namespace backplane::cli
