// backplane bench: measurements that can be repeated, each with a peer in the same run.
#include "bench.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "output_file.hpp"

namespace backplane::cli {

void BenchSettings::add_to(CLI::App& command) {
  command.add_option("--device", device, "As in onednn:0 (default: the fastest CPU)");
  command.add_flag("--quick", quick, "Few repeats: shows that it runs, not how fast");
  run.add_to(command);
  command.add_option("--json", json, "Also write JSON to this file; - is standard output");
}

int run_bench(BenchSettings& settings, const char* unit,
              const std::function<BenchReport(Device)>& measure) {
  settings.run.apply();
  std::optional<OutputFile> json;
  if (!settings.json.empty()) json.emplace(settings.json);
  const BenchReport report =
      measure(settings.device.empty() ? default_device() : device(settings.device));
  if (json) json->write(to_json(report));
  fmt::print(json && json->is_standard_output() ? stderr : stdout, "{}", to_text(report, unit));
  return exit_ok;
}

std::string row_name(std::string_view benchmark, Device device, std::string_view mode) {
  return fmt::format("{}/{}/{}/f32/{}", benchmark, device.name(), mode,
                     backplane::to_string(numerics()));
}

void add_bench(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("bench", "Measure, beside a peer in the same run");
  command->require_subcommand(0, 1);
  add_bench_mnist(*command, action);
  add_bench_dispatch(*command, action);
}

}  // namespace backplane::cli
