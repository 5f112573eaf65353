// The one training loop: any model of the registry, on any device, the same steps everywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backplane/backplane.hpp"
#include "models/registry.hpp"

namespace backplane::models {

enum class Phase { train, evaluate };

// Told after each batch. On an asynchronous device a batch counts when it is queued.
struct Progress {
  Phase phase;
  std::int64_t epoch, epochs;  // counted from 1
  std::int64_t step, steps;    // of this epoch's phase, counted from 1
  double images_per_second;    // of this phase so far
  double seconds_left;         // of this epoch's phase
};

struct TrainOptions {
  std::string model = "mnist_cnn";
  Device device = default_device();
  std::int64_t batch = 512;
  std::int64_t epochs = 1;
  std::int64_t images = 0;                  // train on the first so many; 0: all
  std::int64_t max_steps = 0;               // stop after so many; 0: when the epochs are done
  std::uint64_t seed = 1;                   // of weights, order and masks
  std::string data_dir = {};                // other data of the model's format; empty: its own
  std::optional<float> learning_rate = {};  // default: the model's
  std::optional<DType> autocast = {};       // of products: bf16, f16; default: f32
  bool evaluate = true;                     // on the test set, after the last epoch
  bool compile = false;                     // record the step, and repeat it (compile.hpp)
  bool tiled = true;                        // of a compiled step: as in CompileOptions
  std::function<void(const Progress&)> progress = {};
};

struct TrainResult {
  std::int64_t images = 0;              // of an epoch (of the only one, if max_steps cut it)
  std::int64_t epochs = 0;              // begun
  std::int64_t steps = 0;               // taken
  double seconds_per_epoch = 0;         // training only: the median of epoch_seconds
  std::vector<double> epoch_seconds;    // whole epochs, or the one that max_steps cut
  double images_per_second = 0;         // training only
  std::optional<double> test_accuracy;  // a fraction; none for a regression, or without evaluate
  double final_loss = 0;                // of the last step
  std::vector<double> losses;           // one for each step
  std::uint64_t peak_memory_bytes = 0;  // of the device, by the library's own count
  std::uint64_t bytes_to_device = 0, bytes_from_device = 0;
};

// A model in training. Two trainers with the same options start from the same weights, see the same
// batches and draw the same masks, on whichever devices they are and however their steps
// interleave.
class Trainer {
 public:
  // Loads the data and builds the model on the device. Error names what is wrong with an option.
  explicit Trainer(TrainOptions options) : Trainer(find_model(options.model), options) {}
  // One that needn't be in the registry; options.model is ignored.
  Trainer(const Model& model, const TrainOptions& options);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // All epochs, then the evaluation.
  [[nodiscard]] TrainResult run();

  // One step on the next batch, which after the last one is the first of a new epoch. Returns the
  // loss, on the device; nothing waits.
  Tensor step();
  // The fraction of test samples whose largest output is their label; none for a regression.
  [[nodiscard]] std::optional<double> evaluate();

  [[nodiscard]] Layer& layer() noexcept { return *layer_; }
  [[nodiscard]] Optimizer& optimizer() noexcept { return *optimizer_; }
  [[nodiscard]] const TrainOptions& options() const noexcept { return options_; }
  [[nodiscard]] std::int64_t steps_per_epoch() const { return loader_.batch_count(); }
  [[nodiscard]] std::int64_t steps_taken() const noexcept { return steps_; }
  // The step as it was recorded; null without `compile`.
  [[nodiscard]] CompiledCalls* compiled() noexcept { return compiled_ ? &*compiled_ : nullptr; }

 private:
  [[nodiscard]] const Batch& next_batch();
  // What lies on the device, as the network wants it.
  [[nodiscard]] Tensor prepared(const Tensor& inputs) const;
  // Forward, backward and update; all on the device. Returns the loss.
  [[nodiscard]] Tensor learn(const Tensor& inputs, const Tensor& targets);
  [[nodiscard]] std::int64_t steps_left() const;              // of this epoch, within max_steps
  // Trains to the end of the epoch or to max_steps.
  void run_epoch(std::int64_t epoch, TrainResult& result);

  TrainOptions options_;
  Model model_;
  Data data_;
  DataLoader loader_;
  std::optional<DataLoader::Iterator> batches_;
  Tensor mean_, deviation_;  // on the device; undefined where inputs come as they are
  std::unique_ptr<Layer> layer_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<CompiledCalls> compiled_;
  std::int64_t steps_ = 0;
};

[[nodiscard]] inline TrainResult train(TrainOptions options) {
  return Trainer(std::move(options)).run();
}

}  // namespace backplane::models
