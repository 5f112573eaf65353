// backplane bench infer: calls of a trained network, ours, PyTorch's and ONNX Runtime's in turn.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>

#include "bench.hpp"
#include "contender.hpp"
#include "models/registry.hpp"
#include "python_peer.hpp"

namespace backplane::cli {
namespace {

struct Options {
  BenchSettings settings;
  ModeSettings modes;
  std::string model = "mnist_cnn";
  std::vector<std::int64_t> batches = {1, 64, 512};
  std::int64_t rounds = 5, images = 2048;  // so many images in a round, but no more calls than...
  bool no_peers = false;
};
constexpr std::int64_t most_calls = 200, least_calls = 4;

Shape image_shape(const std::string& model, std::int64_t batch) {
  return model == "resnet18" ? Shape{batch, 3, 32, 32} : Shape{batch, 1, 28, 28};
}

// A network with the images that it is called with.
class Inference {
 public:
  Inference(const std::string& model, std::int64_t batch, const Mode& mode)
      : network_(models::find_model(model).make()),
        inputs_(normal(image_shape(model, batch), 0, 1)) {
    network_->eval();
    if (mode.compiles()) compiled_.emplace(*network_);
  }

  // Each call waits for its result, as a program does that answers requests.
  [[nodiscard]] std::vector<double> seconds_of_calls(std::int64_t calls) {
    using Clock = std::chrono::steady_clock;
    const NoGradGuard no_grad;
    std::vector<double> seconds;
    for (std::int64_t i = 0; i < calls; ++i) {
      const auto start = Clock::now();
      (void)(compiled_ ? (*compiled_)(inputs_) : network_->forward(inputs_));
      inputs_.device().synchronize();
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    return seconds;
  }

 private:
  std::unique_ptr<Layer> network_;
  Tensor inputs_;
  std::optional<CompiledModel> compiled_;
};

Contender ours(const Options& options, std::int64_t batch, const Mode& mode, Device device) {
  const ModeGuard guard(mode);
  const DeviceGuard on_device(device);
  auto inference = std::make_shared<Inference>(options.model, batch, mode);
  return {party_of(device, mode), [inference, mode](std::int64_t calls) {
            const ModeGuard guard(mode);
            return inference->seconds_of_calls(calls);
          }};
}

// A figure of each round, and how it is called in names.
struct Figure {
  std::string_view suffix;
  Unit unit;
  double (*of)(const std::vector<double>& seconds, double batch);
};
constexpr Figure figures[] = {
    {"", Unit::images_per_second,
     [](const std::vector<double>& s, double batch) {
       return batch * static_cast<double>(s.size()) / std::accumulate(s.begin(), s.end(), 0.0);
     }},
    {"-p50", Unit::seconds,
     [](const std::vector<double>& s, double) { return percentile(s, 0.5); }},
    {"-p99", Unit::seconds,
     [](const std::vector<double>& s, double) { return percentile(s, 0.99); }},
};

void report_figure(const Figure& figure, const std::vector<Contender>& contenders,
                   const std::string& benchmark, std::int64_t batch, BenchReport& report) {
  std::vector<BenchRow> rows;
  for (const Contender& contender : contenders) {
    BenchRow row{benchmark + std::string(figure.suffix), contender.party};
    row.unit = figure.unit;
    for (const auto& round : contender.rounds) {
      row.values.push_back(figure.of(round, static_cast<double>(batch)));
    }
    rows.push_back(std::move(row));
  }
  report.add(std::move(rows));
}

void measure_batch(const Options& options, std::int64_t batch, PythonPeer* peer, Device device,
                   BenchReport& report) {
  const std::string benchmark = fmt::format("infer-batch{}", batch);
  std::vector<Contender> contenders;
  for (const Mode& mode : options.modes.chosen(options.settings.numerics)) {
    contenders.push_back(ours(options, batch, mode, device));
  }
  if (peer != nullptr) {
    const std::string model = fmt::format(R"({{"name": "{}"}})", options.model);
    for (Contender& theirs : peer->contenders({"inference", model, batch})) {
      contenders.push_back(std::move(theirs));
    }
  }
  const std::int64_t calls = std::clamp(options.images / batch, least_calls, most_calls);
  report.notes.push_back(fmt::format("{}: {}, {} rounds of {} calls, {} threads", benchmark,
                                     options.model, options.rounds, calls, threads()));
  measure_in_turn(contenders, {options.rounds, calls, 2}, "bench " + benchmark, report.notes);
  for (const Figure& figure : figures) {
    report_figure(figure, contenders, benchmark, batch, report);
  }
}

BenchReport measure(const Options& options) {
  const Device device = options.settings.chosen_device();
  BenchReport report{.benchmark = "infer", .title = "images a second, time of one call"};
  std::unique_ptr<PythonPeer> peer;
  if (!options.no_peers) peer = start_peer(device, options.settings.quick, report.notes);
  for (const std::int64_t batch : options.batches) {
    measure_batch(options, batch, peer.get(), device, report);
  }
  return report;
}

}  // namespace

void add_bench_infer(CLI::App& bench, Action& action) {
  CLI::App* command = bench.add_subcommand(
      "infer", "Calls of a network: images a second and percentiles of the time");
  auto options = std::make_shared<Options>();
  command->add_option("--model", options->model, "mnist_cnn, lenet5, mlp or resnet18")
      ->check(CLI::IsMember({"mnist_cnn", "lenet5", "mlp", "resnet18"}));
  command->add_option("--batch", options->batches, "Images in a call, as in 1,64,512")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100000}));
  command->add_option("--rounds", options->rounds, "Repeats, ours and peers in turn")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
  command->add_flag("--no-peers", options->no_peers, "Ours alone");
  options->modes.add_to(*command);
  options->settings.add_device_to(*command);
  options->settings.add_to(*command);
  command->callback([&action, options] {
    action = [options] {
      if (options->settings.quick) options->rounds = 3, options->images = 512;
      return run_bench(options->settings, [options] { return measure(*options); });
    };
  });
}

}  // namespace backplane::cli
