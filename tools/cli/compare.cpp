// backplane compare: the same training on every device, and how much faster each one is.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "command.hpp"
#include "compare_agreement.hpp"
#include "compare_report.hpp"
#include "models/trainer.hpp"
#include "output_file.hpp"
#include "process_memory.hpp"
#include "training.hpp"

namespace backplane::cli {
namespace {

struct Options {
  RunSettings settings;
  TrainingSettings training;
  std::vector<std::string> devices;  // none: all
  std::string baseline;              // none: the first CPU
  std::int64_t steps = 20;           // of the free run that agreement compares
  std::string json, picture;
};

bool is_reference(const Device& device) {
  return device.backend() == "reference";
}

std::vector<Device> chosen_devices(const std::vector<std::string>& names) {
  if (names.empty()) return devices();
  std::vector<Device> chosen;
  for (const std::string& name : names) chosen.push_back(device(name));
  return chosen;
}

// The first CPU, because that is what every machine has to compare with.
Device chosen_baseline(const std::string& name, const std::vector<Device>& compared) {
  if (compared.empty()) return device("cpu");  // throws: says why nothing is there
  if (name.empty()) {
    const auto cpu = std::find_if(compared.begin(), compared.end(),
                                  [](Device d) { return d.kind() == DeviceKind::cpu; });
    return cpu == compared.end() ? compared.front() : *cpu;
  }
  const Device baseline = device(name);
  if (std::find(compared.begin(), compared.end(), baseline) == compared.end()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--baseline: must be one of the compared devices, {} isn't; add it to "
                            "--devices",
                            baseline.name()));
  }
  return baseline;
}

// How many images an epoch has. Whatever is wrong with the options is found here, before the first
// long run.
std::int64_t images_of(const TrainingSettings& training, Device device) {
  const models::Trainer trial(training.on(device));
  if (training.images != 0) return training.images;
  return models::find_model(training.model).load(training.data_dir, training.seed).train.size();
}

// Runs all epochs and fills in the row's figures.
models::TrainResult measure(models::Trainer& trainer, CompareRow& row) {
  reset_process_peak();
  models::TrainResult result = trainer.run();
  row.device = trainer.options().device.name();
  row.mode = trainer.options().compile ? "compiled" : "eager";
  row.process_peak_bytes = process_peak_bytes();
  row.images = result.images;
  row.epochs = result.epochs;
  row.seconds_per_epoch = result.seconds_per_epoch;
  row.images_per_second = result.images_per_second;
  row.test_accuracy = result.test_accuracy;
  row.final_loss = result.final_loss;
  row.peak_memory_bytes = result.peak_memory_bytes;
  row.bytes_to_device = result.bytes_to_device;
  row.bytes_from_device = result.bytes_from_device;
  return result;
}

struct ReferenceRun {
  CompareRow row;
  std::vector<double> losses;  // of the first `steps` steps
};

// The reference is plain loops: it runs one small epoch, which gives its row, and then goes on
// where agreement needs more steps.
ReferenceRun run_reference(const models::TrainOptions& options, std::int64_t steps,
                           std::int64_t epoch_images) {
  models::TrainOptions plain = agreement_options(options);
  plain.compile = false;  // what others are judged by
  models::Trainer trainer(plain);
  ReferenceRun run;
  const models::TrainResult result = measure(trainer, run.row);
  run.row.extrapolated = true;
  run.row.seconds_per_epoch = static_cast<double>(epoch_images) / result.images_per_second;
  run.losses = result.losses;
  run.losses.resize(std::min(run.losses.size(), static_cast<std::size_t>(steps)));
  while (std::ssize(run.losses) < steps) run.losses.push_back(trainer.step().item<double>());
  return run;
}

// A fault of one device must not hide the figures of the others; a wrong option stops everything.
bool concerns_device_only(ErrorCode code) {
  return code == ErrorCode::unsupported || code == ErrorCode::out_of_memory ||
         code == ErrorCode::backend_failure || code == ErrorCode::device_lost;
}

void run_device(const models::TrainOptions& training, const ReferenceRun& reference,
                CompareReport& report) {
  try {
    CompareRow row;
    row.agreement = check_agreement(training, reference.losses);
    models::Trainer trainer(training);
    (void)measure(trainer, row);
    report.rows.push_back(std::move(row));
  } catch (const Error& error) {
    if (!concerns_device_only(error.code())) throw;
    report.absent.push_back(
        failed_device(training.device.backend(), training.device.name(), error));
  }
}

CompareReport run_all(Options& options, const std::vector<Device>& compared) {
  CompareReport report{.model = options.training.model,
                       .numerics = options.settings.numerics,
                       .baseline = chosen_baseline(options.baseline, compared).name(),
                       .seed = options.training.seed,
                       .threads = options.settings.threads,
                       .batch = options.training.batch,
                       .compile = options.training.compile,
                       .rows = {},
                       .absent = absent_entries()};
  const Device oracle = device("reference:0");
  const std::int64_t epoch_images = images_of(options.training, oracle);

  const ReferenceRun reference =
      run_reference(options.training.on(oracle), options.steps, epoch_images);
  for (const Device& device : compared) {
    if (is_reference(device)) {
      report.rows.push_back(reference.row);
    } else {
      run_device(options.training.on(device), reference, report);
      empty_cache(device);  // the next device's figures must not depend on this one's memory
    }
  }
  set_speedups(report);
  return report;
}

int compare(Options& options) {
  options.settings.apply();
  std::optional<OutputFile> json, picture;
  if (!options.json.empty()) json.emplace(options.json);
  if (!options.picture.empty()) picture.emplace(options.picture);
  const std::vector<Device> compared = chosen_devices(options.devices);

  const CompareReport report = run_all(options, compared);
  if (json) json->write(to_json(report));
  if (picture) picture->write(to_svg(report));
  const bool piped =
      (json && json->is_standard_output()) || (picture && picture->is_standard_output());
  fmt::print(piped ? stderr : stdout, "{}", to_text(report));

  if (!report.agrees()) return exit_disagreement;
  return report.rows.size() == compared.size() ? exit_ok : exit_failed;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("compare", "Train the same on every device, print a table");
  auto options = std::make_shared<Options>();
  command->add_option("--devices", options->devices, "As in onednn:0,reference:0 (default: all)")
      ->delimiter(',');
  command->add_option("--baseline", options->baseline,
                      "What speed-ups are against (default: the first CPU)");
  options->training.add_to(*command);
  command->add_option("--steps", options->steps, "Steps whose losses must agree")
      ->check(CLI::Range(1, 100000));
  options->settings.add_to(*command);
  command->add_option("--json", options->json,
                      "Also write JSON to this file; - is standard output");
  command->add_option("--picture", options->picture, "Also draw a bar chart to this SVG file");
  command->callback([&action, options] { action = [options] { return compare(*options); }; });
}

}  // namespace backplane::cli
