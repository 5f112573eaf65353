// backplane bench mnist: a training step of the MNIST CNN, ours and PyTorch's in turn.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "bench.hpp"
#include "models/trainer.hpp"
#include "progress_bar.hpp"
#include "torch_peer.hpp"

namespace backplane::cli {
namespace {

struct Options {
  BenchSettings settings;
  std::int64_t batch = 512, pairs = 5, steps = 8, warm_up = 2;
  std::uint64_t seed = 1;
};

double seconds_per_step(models::Trainer& trainer, std::int64_t steps) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < steps; ++i) trainer.step();
  trainer.options().device.synchronize();
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  return elapsed.count() / static_cast<double>(steps);
}

// A row and how to take one more measurement for it.
struct Side {
  BenchRow row;
  std::function<double(std::int64_t steps)> measure;
};

std::vector<Side> peer_sides(std::optional<TorchPeer>& peer, const Options& options, Device device,
                             BenchReport& report) {
  const std::string where = device.backend() == "cuda" ? device.name() : "cpu";
  try {
    peer.emplace(threads(), options.batch, where);
    report.notes.push_back("peer: " + peer->description());
  } catch (const Error& error) {
    report.notes.push_back(std::string("peer absent: ") + error.what());
    return {};
  }
  std::vector<Side> sides;
  for (const std::string& mode : peer->modes()) {
    try {
      (void)peer->seconds_per_step(mode, 1);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      report.notes.push_back(std::string("peer mode left out: ") + error.what());
      continue;
    }
    sides.push_back(
        {{fmt::format("torch/{}/f32", mode), where, mode, "f32", {}},
         [&peer, mode](std::int64_t steps) { return peer->seconds_per_step(mode, steps); }});
  }
  return sides;
}

// In turn, and every other time backwards, so that what drifts on the machine meets all alike.
void measure_in_turn(std::vector<Side>& sides, const Options& options) {
  ProgressBar bar("bench mnist");
  for (Side& side : sides) (void)side.measure(options.warm_up);
  for (std::int64_t pair = 0; pair < options.pairs; ++pair) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      Side& side = sides[pair % 2 == 0 ? i : sides.size() - 1 - i];
      side.row.seconds.push_back(side.measure(options.steps));
    }
    bar.show(static_cast<double>(pair + 1) / static_cast<double>(options.pairs),
             fmt::format("pair {} of {}", pair + 1, options.pairs));
  }
}

BenchReport measure(const Options& options, Device device) {
  models::Trainer trainer({.device = device,
                           .batch = options.batch,
                           .seed = options.seed,
                           .data_dir = {},
                           .learning_rate = {},
                           .progress = {}});
  BenchReport report{"mnist", {}, {}, {}};
  report.notes.push_back(fmt::format("batch {}, {} pairs of {} steps, {} threads", options.batch,
                                     options.pairs, options.steps, threads()));
  std::optional<TorchPeer> peer;
  std::vector<Side> sides = peer_sides(peer, options, device, report);
  sides.insert(sides.begin(),
               {{row_name("mnist", device, "eager"), device.name(), "eager", "f32", {}},
                [&trainer](std::int64_t steps) { return seconds_per_step(trainer, steps); }});
  measure_in_turn(sides, options);
  for (Side& side : sides) report.rows.push_back(std::move(side.row));
  for (std::size_t i = 1; i < report.rows.size(); ++i) {
    report.add_ratio(report.rows[0], report.rows[i]);
  }
  return report;
}

}  // namespace

void add_bench_mnist(CLI::App& bench, Action& action) {
  CLI::App* command =
      bench.add_subcommand("mnist", "A training step of the MNIST CNN, and PyTorch's");
  auto options = std::make_shared<Options>();
  const auto positive = CLI::Range(std::int64_t{1}, std::int64_t{1000000});
  command->add_option("--batch", options->batch, "Images in a step")->check(positive);
  command->add_option("--pairs", options->pairs, "Repeats")->check(positive);
  command->add_option("--steps", options->steps, "Steps in a repeat")->check(positive);
  options->settings.add_to(*command);
  command->callback([&action, options] {
    action = [options] {
      if (options->settings.quick) {
        options->batch = 64;
        options->pairs = 1;
        options->steps = 2;
        options->warm_up = 1;
      }
      return run_bench(options->settings, "step",
                       [options](Device device) { return measure(*options, device); });
    };
  });
}

}  // namespace backplane::cli
