// Options and progress of a training run.
#include "training.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "progress_bar.hpp"

namespace backplane::cli {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

class TrainingProgress {
 public:
  explicit TrainingProgress(std::string label) : label_(std::move(label)) {}

  void show(const models::Progress& now) {
    const std::pair part(now.phase, now.epoch);
    if (part != part_) {
      const bool testing = now.phase == models::Phase::evaluate;
      bar_.emplace(testing ? label_ + " test"
                           : fmt::format("{} epoch {}/{}", label_, now.epoch, now.epochs));
      part_ = part;
    }
    bar_->show(static_cast<double>(now.step) / static_cast<double>(now.steps),
               format_rate(now.images_per_second, now.seconds_left));
  }

 private:
  std::string label_;
  std::optional<std::pair<models::Phase, std::int64_t>> part_;
  std::optional<ProgressBar> bar_;
};

}  // namespace

void TrainingSettings::add_to(CLI::App& command) {
  command.add_option("--model", model, "mnist_cnn or linear");
  command.add_option("--epochs", epochs, "Passes over the training data")
      ->check(CLI::Range(std::int64_t{1}, unlimited));
  command.add_option("--batch", batch, "Images in a step")
      ->check(CLI::Range(std::int64_t{1}, unlimited));
  command.add_option("--images", images, "Train on the first so many images; 0: all")
      ->check(CLI::Range(std::int64_t{0}, unlimited));
  command.add_option("--seed", seed, "Of the weights, the order and the dropout masks");
  command.add_option("--data", data_dir, "Folder with four IDX or IDX.gz files, instead of MNIST");
  command.add_flag("--no-test", skip_test, "Leave out the test set, and so the accuracy");
  command.add_flag("--compile", compile, "Record the training step, and repeat it");
}

models::TrainOptions TrainingSettings::on(Device device) const {
  return {.model = model,
          .device = device,
          .batch = batch,
          .epochs = epochs,
          .images = images,
          .seed = seed,
          .data_dir = data_dir,
          .learning_rate = {},
          .evaluate = !skip_test,
          .compile = compile,
          .progress = show_progress(device.name())};
}

std::function<void(const models::Progress&)> show_progress(std::string label) {
  auto progress = std::make_shared<TrainingProgress>(std::move(label));
  return [progress](const models::Progress& now) { progress->show(now); };
}

}  // namespace backplane::cli
