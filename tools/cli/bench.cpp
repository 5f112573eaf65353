// backplane bench: measurements that can be repeated, each with a peer in the same run.
#include "bench.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "output_file.hpp"

namespace backplane::cli {

void BenchSettings::add_to(CLI::App& command) {
  command.add_flag("--quick", quick, "Few repeats: 50 seconds at most, for each of several cases");
  run.add_to(command);
  command.add_option("--json", json, "Also write JSON to this file; - is standard output");
}

void BenchSettings::add_device_to(CLI::App& command) {
  command.add_option("--device", device, "As in onednn:0 (default: the fastest CPU)");
}

void BenchSettings::add_picture_to(CLI::App& command) {
  command.add_option("--picture", picture, "Also draw a bar chart to this SVG file");
}

Device BenchSettings::chosen_device() const {
  return device.empty() ? default_device() : backplane::device(device);
}

int run_bench(BenchSettings& settings, const std::function<BenchReport()>& measure) {
  settings.numerics = settings.run.numerics;
  settings.run.apply();
  std::optional<OutputFile> json, picture;
  if (!settings.json.empty()) json.emplace(settings.json);
  if (!settings.picture.empty()) picture.emplace(settings.picture);
  const BenchReport report = measure();
  if (json) json->write(to_json(report));
  if (picture) picture->write(bar_chart(report.picture_title, report.bars));
  const bool piped =
      (json && json->is_standard_output()) || (picture && picture->is_standard_output());
  fmt::print(piped ? stderr : stdout, "{}", to_text(report));
  return exit_ok;
}

Party party_of(Device device, const Mode& mode) {
  return {fmt::format("{}/{}", device.name(), to_string(mode)), device.name(),
          std::string(mode.kind), std::string(mode.precision)};
}

void add_bench(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("bench", "Measure, beside a peer in the same run");
  command->require_subcommand(0, 1);
  add_bench_mnist(*command, action);
  add_bench_resnet(*command, action);
  add_bench_infer(*command, action);
  add_bench_ops(*command, action);
  add_bench_matmul(*command, action);
  add_bench_batch(*command, action);
  add_bench_dispatch(*command, action);
}

}  // namespace backplane::cli
