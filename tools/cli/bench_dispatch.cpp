// backplane bench dispatch: what the library costs the host for an operation with almost no work.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <memory>

#include "backplane/backplane.hpp"
#include "bench.hpp"

namespace backplane::cli {
namespace {

// Host seconds of one call, the mean of a block. The device's own time isn't in it: it finishes the
// block after the clock stopped.
template <class Call>
double seconds_per_call(Device device, int calls, Call&& call) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) call();
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  device.synchronize();
  return elapsed.count() / calls;
}

BenchReport measure(Device device, int blocks) {
  constexpr int calls = 500;
  const NoGradGuard no_grad;
  const TensorOptions on_device{.device = device};
  const Tensor a = ones({1}, on_device), b = ones({1}, on_device);
  const std::array inputs = {a, b};
  const std::array outputs = {empty({1}, on_device)};
  const Operation operation{op::Add{}};
  const TensorSpec spec = spec_of(a);
  const Plan plan(device, operation, std::array{spec, spec}, std::array{spec});

  BenchRow eager{"dispatch", party_of(device, {"eager", "f32", numerics()})};
  BenchRow prepared{"dispatch", party_of(device, {"plan", "f32", numerics()})};
  const auto add_eagerly = [&] { (void)add(a, b); };
  const auto run_plan = [&] { plan.run(operation, inputs, outputs); };
  (void)seconds_per_call(device, calls, add_eagerly);
  (void)seconds_per_call(device, calls, run_plan);
  for (int block = 0; block < blocks; ++block) {
    eager.values.push_back(seconds_per_call(device, calls, add_eagerly));
    prepared.values.push_back(seconds_per_call(device, calls, run_plan));
  }
  BenchReport report{
      .benchmark = "dispatch", .title = "time of one add", .rows = {eager, prepared}};
  report.notes.push_back(fmt::format(
      "f32[1] add without gradients: eager allocates its output, plan is a prepared Plan::run; {} "
      "blocks of {} calls",
      blocks, calls));
  report.add_ratio(prepared, eager);
  return report;
}

}  // namespace

void add_bench_dispatch(CLI::App& bench, Action& action) {
  CLI::App* command = bench.add_subcommand("dispatch", "Host cost of one small operation");
  struct Options {
    BenchSettings settings;
    int blocks = 200;
  };
  auto options = std::make_shared<Options>();
  command->add_option("--blocks", options->blocks, "Repeats")->check(CLI::Range(1, 1000000));
  options->settings.add_device_to(*command);
  options->settings.add_to(*command);
  command->callback([&action, options] {
    action = [options] {
      const int blocks = options->settings.quick ? 5 : options->blocks;
      return run_bench(options->settings, [options, blocks] {
        return measure(options->settings.chosen_device(), blocks);
      });
    };
  });
}

}  // namespace backplane::cli
