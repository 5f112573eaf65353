// What the commands of the program share: how they register, and what their exit codes mean.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "backplane/device.hpp"

namespace CLI {
class App;
}

namespace backplane::cli {

// tools/README.md lists them for users.
enum ExitCode : int {
  exit_ok = 0,
  exit_failed = 1,        // a device, file or peer failed
  exit_usage = 2,         // unknown command, option, device or model; a value outside its range
  exit_disagreement = 3,  // a device's numbers differ from the reference by more than the bound
  exit_data = 4           // a data file isn't what it says it is
};

// What the command line asked for. It runs after parsing, and returns the exit code.
using Action = std::function<int()>;

void add_devices(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);

// Options of every command that computes.
struct RunSettings {
  std::uint32_t threads = 0;  // 0: the library's default
  std::string numerics;       // empty: the library's default

  void add_to(CLI::App& command);
  // Makes them the settings of this thread, for the rest of the program.
  void apply();

 private:
  std::unique_ptr<NumericsGuard> guard_;
};

}  // namespace backplane::cli
