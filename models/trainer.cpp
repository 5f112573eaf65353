// The one training loop.
#include "models/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace backplane::models {

namespace {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A phase of an epoch as it is reported.
class Report {
 public:
  Report(const TrainOptions& options, Phase phase, std::int64_t epoch, std::int64_t steps,
         std::int64_t images)
      : options_(options), phase_(phase), epoch_(epoch), steps_(steps), images_(images) {}

  void batch_done(std::int64_t count) {
    done_ += count;
    ++step_;
    if (!options_.progress) return;
    const double rate = static_cast<double>(done_) / std::max(watch_.seconds(), 1e-9);
    options_.progress({.phase = phase_,
                       .epoch = epoch_,
                       .epochs = options_.epochs,
                       .step = step_,
                       .steps = steps_,
                       .images_per_second = rate,
                       .seconds_left = static_cast<double>(images_ - done_) / rate});
  }
  [[nodiscard]] double seconds() const { return watch_.seconds(); }
  [[nodiscard]] std::int64_t images_done() const { return done_; }

 private:
  const TrainOptions& options_;
  Phase phase_;
  std::int64_t epoch_, steps_, images_, step_ = 0, done_ = 0;
  Stopwatch watch_;
};

void require(bool holds, std::string_view rule, std::int64_t value) {
  if (holds) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("train: {}, got {}", rule, value));
}

const TrainOptions& checked(const TrainOptions& options) {
  require(options.batch >= 1, "batch must be positive", options.batch);
  require(options.epochs >= 1, "epochs must be positive", options.epochs);
  require(options.images >= 0, "images must be positive, or 0 for all", options.images);
  require(options.max_steps >= 0, "max_steps must be positive, or 0 for no limit",
          options.max_steps);
  const AutocastGuard known(options.autocast);  // refuses other types
  return options;
}

Data load(const TrainOptions& options, const Model& model) {
  Data data = model.load(options.data_dir, options.seed);
  const std::int64_t all = data.train.size();
  const std::int64_t images = options.images == 0 ? all : options.images;
  require(images <= all, fmt::format("images must be at most the {} of the training set", all),
          images);
  require(options.batch <= images,
          fmt::format("batch must not be larger than the {} images to train on", images),
          options.batch);
  data.train = data.train.subset(images);
  return data;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Tensor per_channel(std::span<const float> values, Device device) {
  if (values.empty()) return {};
  return tensor(values, {static_cast<std::int64_t>(values.size())}, {.device = device});
}

}  // namespace

Trainer::Trainer(const Model& model, const TrainOptions& options)
    : options_(checked(options)),
      model_(model),
      data_(load(options_, model_)),
      loader_(data_.train, {.batch_size = options_.batch, .shuffle = true, .seed = options_.seed}),
      mean_(per_channel(model_.mean, options_.device)),
      deviation_(per_channel(model_.deviation, options_.device)) {
  const DeviceGuard on_device(options_.device);
  manual_seed(options_.seed);
  layer_ = model_.make();
  optimizer_ =
      model_.optimize(layer_->parameters(), options_.learning_rate.value_or(model_.learning_rate));
  if (options_.compile) compiled_.emplace(CompileOptions{.tiled = options_.tiled});
}

const Batch& Trainer::next_batch() {
  if (batches_) ++*batches_;
  if (!batches_ || *batches_ == loader_.end()) batches_.emplace(loader_.begin());
  return **batches_;
}

Tensor Trainer::prepared(const Tensor& inputs) const {
  return mean_.defined() ? normalize(inputs, mean_, deviation_) : inputs;
}

Tensor Trainer::learn(const Tensor& inputs, const Tensor& targets) {
  optimizer_->zero_grad();
  const Tensor loss = model_.loss(layer_->forward(prepared(inputs)), targets);
  loss.backward();
  optimizer_->step();
  return loss.detach();
}

Tensor Trainer::step() {
  const AutocastGuard products(options_.autocast);
  const Batch& batch = next_batch();
  // Seeded anew, so that the masks depend on the step alone and not on what else ran in between.
  manual_seed(options_.seed);
  // Step 0 is where the weights were drawn.
  begin_step(static_cast<std::uint32_t>(steps_ + 1), batch.first_sample);
  const std::array arguments{batch.inputs.to(options_.device), batch.targets.to(options_.device)};
  ++steps_;
  if (!compiled_) return learn(arguments[0], arguments[1]);
  return compiled_->call(arguments, [this](std::span<const Tensor> tensors) {
    return std::vector{learn(tensors[0], tensors[1])};
  })[0];
}

std::int64_t Trainer::steps_left() const {
  const std::int64_t epoch = steps_per_epoch() - steps_ % steps_per_epoch();
  return options_.max_steps == 0 ? epoch : std::min(epoch, options_.max_steps - steps_);
}

void Trainer::run_epoch(std::int64_t epoch, TrainResult& result) {
  const std::int64_t steps = steps_left();
  const std::int64_t images = std::min(steps * options_.batch, loader_.sample_count());
  Report report(options_, Phase::train, epoch, steps, images);
  // Losses stay on the device until the epoch is over: reading one would wait for its step.
  std::vector<Tensor> losses;
  losses.reserve(static_cast<std::size_t>(steps));
  for (std::int64_t i = 0; i < steps; ++i) {
    losses.push_back(step());
    report.batch_done((*batches_)->count);
  }
  options_.device.synchronize();
  const bool is_whole = steps == steps_per_epoch();
  if (is_whole || result.epoch_seconds.empty()) {
    result.epoch_seconds.push_back(report.seconds());
    result.images = report.images_done();
  }
  for (const Tensor& loss : losses) result.losses.push_back(loss.item<double>());
  result.steps += steps;
  ++result.epochs;
}

TrainResult Trainer::run() {
  const TransferStats before = transfer_stats(options_.device);
  reset_peak_memory(options_.device);
  TrainResult result;
  for (std::int64_t epoch = 1; epoch <= options_.epochs && steps_left() > 0; ++epoch) {
    run_epoch(epoch, result);
  }
  if (!result.epoch_seconds.empty()) {
    result.seconds_per_epoch = median(result.epoch_seconds);
    result.images_per_second = static_cast<double>(result.images) / result.seconds_per_epoch;
    result.final_loss = result.losses.back();
  }
  if (options_.evaluate) result.test_accuracy = evaluate();
  const TransferStats after = transfer_stats(options_.device);
  result.peak_memory_bytes = memory_stats(options_.device).peak_allocated_bytes;
  result.bytes_to_device = after.bytes_to_device - before.bytes_to_device;
  result.bytes_from_device = after.bytes_from_device - before.bytes_from_device;
  return result;
}

std::optional<double> Trainer::evaluate() {
  if (!model_.classifies) return std::nullopt;
  const EvalGuard eval(*layer_);
  const AutocastGuard products(options_.autocast);
  const NoGradGuard no_graph;
  DataLoader loader(data_.test, {.batch_size = options_.batch});
  Report report(options_, Phase::evaluate, options_.epochs, loader.batch_count(),
                loader.sample_count());
  std::int64_t correct = 0;
  for (const Batch& batch : loader) {
    const Tensor best = arg_max(layer_->forward(prepared(batch.inputs.to(options_.device))), 1);
    const std::vector<std::int64_t> predicted = best.to_vector<std::int64_t>();
    const auto expected = std::as_const(batch.targets).data<std::int64_t>();
    for (std::size_t i = 0; i < predicted.size(); ++i) correct += predicted[i] == expected[i];
    report.batch_done(batch.count);
  }
  return static_cast<double>(correct) / static_cast<double>(loader.sample_count());
}

}  // namespace backplane::models
