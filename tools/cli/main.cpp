// The backplane program: reads the command line, runs one command, turns errors into exit codes.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "backplane/device.hpp"
#include "backplane/error.hpp"
#include "command.hpp"

namespace backplane::cli {
namespace {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::out_of_range:
    case ErrorCode::not_found:
      return exit_usage;
    case ErrorCode::data_corrupt:
      return exit_data;
    default:
      return exit_failed;
  }
}

int fail(int code, const char* text) {
  fmt::print(stderr, "backplane: {}\n", text);
  return code;
}

int run(CLI::App& app, Action& action, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    // Left to CLI11, this would hide that a command was given and is unknown.
    if (!action) throw CLI::RequiredError("a command");
    const int code = action();
    shutdown();
    return code;
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    fail(exit_usage, error.what());
    fmt::print(stderr, "backplane --help and backplane COMMAND --help list what there is\n");
    return exit_usage;
  } catch (const Error& error) {
    return fail(exit_code(error.code()), error.what());
  } catch (const std::exception& error) {
    return fail(exit_failed, error.what());
  }
}

}  // namespace
}  // namespace backplane::cli

int main(int argc, char** argv) {
  using namespace backplane::cli;
  CLI::App app("Trains neural networks on the devices of this machine, and compares them.",
               "backplane");
  app.set_version_flag("--version", BACKPLANE_VERSION);
  app.require_subcommand(0, 1);
  app.option_defaults()->always_capture_default();
  Action action;
  add_devices(app, action);
  add_train(app, action);
  add_compare(app, action);
  add_bench(app, action);
  return run(app, action, argc, argv);
}
