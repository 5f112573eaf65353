// backplane bench batch: how fast the MNIST CNN trains at batch sizes from 1 to 1024.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench_training.hpp"
#include "models/registry.hpp"
#include "table.hpp"

namespace backplane::cli {
namespace {

struct Options {
  TrainingBench bench;
  std::vector<std::int64_t> batches = {1, 4, 16, 64, 256, 512, 1024};
};

BenchReport measure(const Options& options) {
  std::vector<TrainingCase> cases;
  for (const std::int64_t batch : options.batches) {
    cases.push_back({fmt::format("batch-{}", batch), models::find_model("mnist_cnn"),
                     R"({"name": "mnist_cnn"})", batch});
  }
  BenchReport report = bench_training("batch", options.bench, cases);
  report.picture_title = "training mnist_cnn: images a second";
  for (const BenchRow& row : report.rows) {
    const double rate = row.images / row.median();
    report.bars.push_back({row.name(), rate,
                           fmt::format("{} images/s, {} steps/s", format_number(rate),
                                       format_number(1 / row.median()))});
  }
  return report;
}

}  // namespace

void add_bench_batch(CLI::App& bench, Action& action) {
  CLI::App* command =
      bench.add_subcommand("batch", "Training steps and images a second over batch sizes");
  auto options = std::make_shared<Options>();
  command->add_option("--batch", options->batches, "Images in a step, as in 16,64,256")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{60000}));
  options->bench.settings.add_picture_to(*command);
  options->bench.add_to(*command);
  command->callback([&action, options] {
    action = [options] {
      if (options->bench.settings.quick) options->bench.rounds = {2, 1, 1};
      return run_bench(options->bench.settings, [options] { return measure(*options); });
    };
  });
}

}  // namespace backplane::cli
