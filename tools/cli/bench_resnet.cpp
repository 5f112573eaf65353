// backplane bench resnet: a training step of ResNet-18 on images of 32 x 32, ours and PyTorch's in
// turn.
#include <CLI/CLI.hpp>
#include <memory>

#include "bench_training.hpp"
#include "models/resnet/resnet18.hpp"

namespace backplane::cli {

void add_bench_resnet(CLI::App& bench, Action& action) {
  CLI::App* command =
      bench.add_subcommand("resnet", "A training step of ResNet-18 on 32x32x3, and PyTorch's");
  struct Options {
    TrainingBench bench;
    std::int64_t batch = 64;
  };
  auto options = std::make_shared<Options>();
  options->bench.rounds.count = 2;
  CLI::Option* batch = command->add_option("--batch", options->batch, "Images in a step")
                           ->check(CLI::Range(std::int64_t{1}, std::int64_t{50000}));
  options->bench.add_to(*command);
  command->callback([&action, options, batch] {
    action = [options, batch] {
      if (options->bench.settings.quick) {
        options->bench.rounds = {3, 1, 1};
        if (batch->count() == 0) options->batch = 8;
      }
      return run_bench(options->bench.settings, [options] {
        return bench_training(
            "resnet", options->bench,
            {{"resnet", models::resnet18_model(), R"({"name": "resnet18"})", options->batch}});
      });
    };
  });
}

}  // namespace backplane::cli
