// backplane bench ops: each operation of a training step by itself, against the processor's peaks.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>

#include "bench.hpp"
#include "dense_work.hpp"
#include "explain_convolution.hpp"
#include "models/registry.hpp"
#include "models/trainer.hpp"
#include "progress_bar.hpp"

namespace backplane::cli {
namespace {

struct Options {
  BenchSettings settings;
  std::string model = "mnist_cnn";
  std::int64_t batch = 512, repeats = 5;
  double block = 0.05;  // seconds of a repeat, at least
  bool compiled = false, explain = false;
};

// An operation with the tensors that it ran on, kept so that it can run again.
struct Recorded {
  Operation operation;
  std::vector<Tensor> inputs, outputs;
  std::string description;  // as in "conv2d[512x1x28x28,32x1x3x3,32]"
};

std::string describe(const Operation& operation, std::span<const Tensor> inputs) {
  std::string shapes;
  for (std::size_t i = 0; i < inputs.size() && i < 3; ++i) {
    if (i != 0) shapes += ',';
    const Shape& shape = inputs[i].shape();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      shapes += fmt::format("{}{}", axis == 0 ? "" : "x", shape[axis]);
    }
  }
  return fmt::format("{}[{}{}]", operation.name(), shapes, inputs.size() > 3 ? ",..." : "");
}

// Keeps every operation of another name or shape.
class Recorder : public Observer {
 public:
  void on_operation(const OperationEvent& event) override {
    std::string description = describe(event.operation, event.inputs);
    const bool known = std::any_of(all_.begin(), all_.end(), [&](const Recorded& one) {
      return one.description == description;
    });
    if (known) return;
    all_.push_back({event.operation,
                    {event.inputs.begin(), event.inputs.end()},
                    {event.outputs.begin(), event.outputs.end()},
                    std::move(description)});
  }
  [[nodiscard]] const std::vector<Recorded>& all() const noexcept { return all_; }

 private:
  std::vector<Recorded> all_;
};

std::vector<Recorded> operations_of_a_step(const Options& options, Device device) {
  models::Trainer trainer({.model = options.model,
                           .device = device,
                           .batch = options.batch,
                           .data_dir = {},
                           .learning_rate = {},
                           .compile = options.compiled,
                           .tiled = false,  // there, operations are not seen one by one
                           .progress = {}});
  trainer.step();  // the first one also makes the optimizer's state
  // What is fused is seen in repetitions alone.
  while (options.compiled && trainer.compiled()->replayed_calls() == 0) trainer.step();
  Recorder recorder;
  const ObserverGuard watch(recorder);
  trainer.step();
  return recorder.all();
}

// In the layout that the plan wants: reordering is an operation of its own.
Tensor laid_out(const Tensor& tensor, const TensorSpec& wanted, Device device) {
  const TensorSpec own = spec_of(tensor);
  if (own.layout == wanted.layout && own.strides == wanted.strides) return tensor;
  const Tensor result = empty(wanted, device);
  const Operation copy{op::Copy{}};
  Plan(device, copy, std::array{own}, std::array{wanted})
      .run(copy, std::array{tensor}, std::array{result});
  return result;
}

// One operation, ready to run.
class Prepared {
 public:
  Prepared(const Recorded& recorded, Device device)
      : operation_(recorded.operation),
        outputs_(recorded.outputs),
        device_(device),
        plan_(device, recorded.operation, specs(recorded.inputs), specs(recorded.outputs)) {
    for (std::size_t i = 0; i < recorded.inputs.size(); ++i) {
      inputs_.push_back(laid_out(recorded.inputs[i], plan_.inputs()[i], device));
    }
  }

  [[nodiscard]] const std::string& implementation() const { return plan_.implementation(); }
  // The mean of so many runs.
  [[nodiscard]] double seconds(std::int64_t runs) const {
    device_.synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < runs; ++i) plan_.run(operation_, inputs_, outputs_);
    device_.synchronize();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return elapsed.count() / static_cast<double>(runs);
  }

 private:
  static std::vector<TensorSpec> specs(const std::vector<Tensor>& tensors) {
    std::vector<TensorSpec> result;
    for (const Tensor& tensor : tensors) result.push_back(spec_of(tensor));
    return result;
  }

  Operation operation_;
  std::vector<Tensor> inputs_, outputs_;
  Device device_;
  Plan plan_;
};

double bytes_of(const Recorded& recorded) {
  double bytes = 0;
  for (const auto* tensors : {&recorded.inputs, &recorded.outputs}) {
    for (const Tensor& tensor : *tensors) {
      bytes += static_cast<double>(tensor.count()) * static_cast<double>(size_of(tensor.dtype()));
    }
  }
  return bytes;
}

// Shares are ratios as any other: the time that it would take at the peak over the time it takes.
void add_shares(const Recorded& recorded, const BenchRow& row, BenchReport& report) {
  if (!report.peaks) return;
  const auto add = [&](std::string_view peak, double least) {
    report.ratios.push_back(
        {fmt::format("{}:peak/{}/f32", row.name(), peak), least / row.median()});
  };
  if (row.work > 0) add("fma", row.work / report.peaks->multiply_add);
  add("copy", bytes_of(recorded) / report.peaks->copy);
}

std::string explanation(const Recorded& recorded, const Prepared& prepared) {
  std::string text = fmt::format("{}: runs as {}", recorded.description, prepared.implementation());
  std::string candidates =
      explain_convolution(recorded.operation, recorded.inputs, recorded.outputs, numerics());
  if (candidates.empty()) return text;
  candidates.pop_back();  // its last end of line
  return text + '\n' + candidates;
}

BenchReport measure(const Options& options) {
  const Device device = options.settings.chosen_device();
  BenchReport report{.benchmark = "ops", .title = "time of one operation"};
  report.peaks = measure_peaks(device);
  report.notes.push_back(
      fmt::format("operations of a training step of {} at batch {}, {} repeats, {} threads",
                  options.model, options.batch, options.repeats, threads()));
  const std::vector<Recorded> operations = operations_of_a_step(options, device);
  ProgressBar bar("bench ops");
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Recorded& recorded = operations[i];
    const Prepared prepared(recorded, device);
    BenchRow row{
        .benchmark = "ops-" + recorded.description,
        .party = party_of(device, {options.compiled ? "compiled" : "eager", "f32", numerics()}),
        .work = dense_work(recorded.operation, recorded.inputs, recorded.outputs)};
    const double first = std::min(prepared.seconds(1), prepared.seconds(1));
    const auto runs = static_cast<std::int64_t>(options.block / std::max(first, 1e-7)) + 1;
    for (std::int64_t repeat = 0; repeat < options.repeats; ++repeat) {
      row.values.push_back(prepared.seconds(runs));
    }
    add_shares(recorded, row, report);
    if (options.explain) report.notes.push_back(explanation(recorded, prepared));
    report.rows.push_back(std::move(row));
    bar.show(static_cast<double>(i + 1) / static_cast<double>(operations.size()),
             recorded.description);
  }
  return report;
}

}  // namespace

void add_bench_ops(CLI::App& bench, Action& action) {
  CLI::App* command = bench.add_subcommand(
      "ops", "Each operation of a training step, as a share of the processor's peaks");
  auto options = std::make_shared<Options>();
  const auto positive = CLI::Range(std::int64_t{1}, std::int64_t{1000000});
  command->add_option("--model", options->model, "Whose step: mnist_cnn, lenet5, resnet18 ...");
  command->add_option("--batch", options->batch, "Images in a step")->check(positive);
  command->add_option("--repeats", options->repeats, "Blocks of runs")->check(positive);
  command->add_flag("--compiled", options->compiled, "Of the step as compile() leaves it, fused");
  command->add_flag("--explain", options->explain,
                    "Also print which kernel runs, and the candidates that convolutions have");
  options->settings.add_device_to(*command);
  options->settings.add_to(*command);
  command->callback([&action, options] {
    action = [options] {
      if (options->settings.quick) options->repeats = 3, options->block = 0.005;
      return run_bench(options->settings, [options] { return measure(*options); });
    };
  });
}

}  // namespace backplane::cli
