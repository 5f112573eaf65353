// Training steps in turn.
#include "bench_training.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "dense_work.hpp"
#include "models/trainer.hpp"

namespace backplane::cli {
namespace {

models::TrainOptions options_of(const TrainingBench& bench, std::int64_t batch, Device device,
                                const Mode& mode) {
  return {.device = device,
          .batch = batch,
          .seed = bench.seed,
          .data_dir = {},
          .learning_rate = {},
          .autocast = mode.autocast(),
          .compile = mode.compiles(),
          .progress = {}};
}

double seconds_per_step(models::Trainer& trainer, std::int64_t steps) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (std::int64_t i = 0; i < steps; ++i) trainer.step();
  trainer.options().device.synchronize();
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  return elapsed.count() / static_cast<double>(steps);
}

// Steps until the recording is repeated, so that no measured step records. Error(unsupported) if it
// isn't after a few: then it would be measured under a wrong name.
void until_it_repeats(models::Trainer& trainer) {
  constexpr int enough = 5;
  const CompiledCalls& compiled = *trainer.compiled();
  for (int i = 0; i < enough && compiled.replayed_calls() == 0; ++i) trainer.step();
  if (compiled.replayed_calls() != 0) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("compiled: after {} steps that record, the next must repeat; measure it "
                          "in mode eager",
                          enough));
}

Contender ours(const TrainingBench& bench, const TrainingCase& one, const Mode& mode,
               Device device) {
  const ModeGuard guard(mode);
  auto trainer =
      std::make_shared<models::Trainer>(one.model, options_of(bench, one.batch, device, mode));
  return {party_of(device, mode), [trainer, mode](std::int64_t steps) {
            const ModeGuard guard(mode);
            if (mode.compiles()) until_it_repeats(*trainer);
            return std::vector{seconds_per_step(*trainer, steps)};
          }};
}

// Of a training step, for one image.
double dense_work_per_image(const TrainingBench& bench, const TrainingCase& one, Device device) {
  models::Trainer trainer(one.model, options_of(bench, 1, device, {"eager", "f32", numerics()}));
  DenseWorkCount count;
  const ObserverGuard watch(count);
  trainer.step();
  return count.total();
}

void measure_case(const TrainingBench& bench, const TrainingCase& one, PythonPeer* peer,
                  Device device, BenchReport& report) {
  std::vector<Contender> contenders;
  for (const Mode& mode : bench.modes.chosen(bench.settings.numerics)) {
    contenders.push_back(ours(bench, one, mode, device));
  }
  if (peer != nullptr) {
    for (Contender& of_peer : peer->contenders({"training", one.peer_model, one.batch})) {
      contenders.push_back(std::move(of_peer));
    }
  }
  measure_in_turn(contenders, bench.rounds, "bench " + one.name, report.notes);

  const auto images = static_cast<double>(one.batch);
  const double work = images * dense_work_per_image(bench, one, device);
  std::vector<BenchRow> rows;
  for (const Contender& contender : contenders) {
    BenchRow row{.benchmark = one.name, .party = contender.party, .images = images, .work = work};
    for (const auto& round : contender.rounds) row.values.push_back(round.at(0));
    rows.push_back(std::move(row));
  }
  report.add(std::move(rows));
}

}  // namespace

void TrainingBench::add_to(CLI::App& command) {
  const auto positive = CLI::Range(std::int64_t{1}, std::int64_t{1000000});
  command.add_option("--pairs", rounds.rounds, "Repeats, ours and peers in turn")->check(positive);
  command.add_option("--steps", rounds.count, "Steps in a repeat")->check(positive);
  command.add_flag("--no-peers", no_peers, "Ours alone");
  modes.add_to(command);
  settings.add_device_to(command);
  settings.add_to(command);
}

BenchReport bench_training(const std::string& benchmark, const TrainingBench& bench,
                           const std::vector<TrainingCase>& cases) {
  const Device device = bench.settings.chosen_device();
  BenchReport report{.benchmark = benchmark, .title = "time of one training step"};
  report.peaks = measure_peaks(device);
  std::unique_ptr<PythonPeer> peer;
  if (!bench.no_peers) peer = start_peer(device, bench.settings.quick, report.notes);
  for (TrainingCase one : cases) {
    // Once, for all that train on them.
    one.model.load = [data = one.model.load("", bench.seed)](const std::string&, std::uint64_t) {
      return data;
    };
    report.notes.push_back(fmt::format("{}: batch {}, {} pairs of {} steps, {} threads", one.name,
                                       one.batch, bench.rounds.rounds, bench.rounds.count,
                                       threads()));
    measure_case(bench, one, peer.get(), device, report);
  }
  return report;
}

}  // namespace backplane::cli
