// backplane train: trains one model on one device.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "command.hpp"
#include "models/trainer.hpp"
#include "output_file.hpp"
#include "table.hpp"
#include "training.hpp"

namespace backplane::cli {
namespace {

struct Options {
  RunSettings settings;
  TrainingSettings training;
  std::string device;  // empty: the default one
  std::optional<float> learning_rate;
  std::string autocast;  // empty: none
  std::string json;
};

const std::map<std::string, DType> narrow_types{{"bf16", DType::bf16}, {"f16", DType::f16}};

nlohmann::ordered_json json_of(const Options& options, Device device,
                               const models::TrainResult& result) {
  nlohmann::ordered_json accuracy;  // null for a regression
  if (result.test_accuracy) accuracy = *result.test_accuracy;
  nlohmann::ordered_json autocast;  // null without
  if (!options.autocast.empty()) autocast = options.autocast;
  return {{"model", options.training.model},
          {"device", device.name()},
          {"seed", options.training.seed},
          {"threads", options.settings.threads},
          {"batch", options.training.batch},
          {"numerics", options.settings.numerics},
          {"autocast", autocast},
          {"images", result.images},
          {"epochs", result.epochs},
          {"seconds_per_epoch", result.seconds_per_epoch},
          {"images_per_second", result.images_per_second},
          {"test_accuracy", accuracy},
          {"final_loss", result.final_loss},
          {"peak_memory_bytes", result.peak_memory_bytes},
          {"bytes_to_device", result.bytes_to_device},
          {"bytes_from_device", result.bytes_from_device}};
}

int train(Options& options) {
  options.settings.apply();
  std::optional<OutputFile> json;
  if (!options.json.empty()) json.emplace(options.json);
  const Device where = options.device.empty() ? default_device() : device(options.device);
  models::TrainOptions training = options.training.on(where);
  training.learning_rate = options.learning_rate;
  if (!options.autocast.empty()) training.autocast = narrow_types.at(options.autocast);

  const models::TrainResult result = models::train(std::move(training));
  if (json) json->write(json_of(options, where, result).dump(2) + '\n');
  fmt::print(json && json->is_standard_output() ? stderr : stdout,
             "{} on {}: {} an epoch, {:.0f} images/s, loss {:.4f}{}, memory {}\n",
             options.training.model, where.name(), format_seconds(result.seconds_per_epoch),
             result.images_per_second, result.final_loss,
             result.test_accuracy
                 ? fmt::format(", test accuracy {:.2f} %", *result.test_accuracy * 100)
                 : "",
             format_bytes(result.peak_memory_bytes));
  return std::isfinite(result.final_loss) ? exit_ok : exit_failed;
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("train", "Train a model on one device");
  auto options = std::make_shared<Options>();
  command->add_option("--device", options->device, "As in onednn:0 (default: the fastest CPU)");
  options->training.add_to(*command);
  command->add_option("--lr", options->learning_rate, "Learning rate (default: the model's)")
      ->check(CLI::NonNegativeNumber);
  options->settings.add_to(*command);
  command
      ->add_option("--autocast", options->autocast,
                   "Convolutions and products of matrices of such operands: bf16 or f16 "
                   "(default: f32)")
      ->check(CLI::IsMember(narrow_types));
  command->add_option("--json", options->json,
                      "Also write JSON to this file; - is standard output");
  command->callback([&action, options] { action = [options] { return train(*options); }; });
}

}  // namespace backplane::cli
