// Options that every computing command has.
#include "command.hpp"

#include <CLI/CLI.hpp>

namespace backplane::cli {

void RunSettings::add_to(CLI::App& command) {
  command.add_option("--threads", threads, "Host threads (default: one for each core)")
      ->check(CLI::Range(1, 4096));
  command.add_option("--numerics", numerics, "standard or strict (default: standard)")
      ->check(CLI::IsMember({"standard", "strict"}));
}

void RunSettings::apply() {
  if (threads != 0) set_threads(threads);
  threads = backplane::threads();
  if (numerics.empty()) numerics = to_string(backplane::numerics());
  const bool strict = numerics == to_string(Numerics::strict);
  guard_ = std::make_unique<NumericsGuard>(strict ? Numerics::strict : Numerics::standard);
}

}  // namespace backplane::cli
