// backplane bench mnist: a training step of the classifiers of MNIST, ours and PyTorch's in turn.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "bench_training.hpp"
#include "models/mnist/cnn.hpp"
#include "models/registry.hpp"

namespace backplane::cli {
namespace {

// A network that is measured under a name of its own. Those without options are of the registry.
struct Variant {
  std::string_view name;
  models::MnistCnnOptions options{};
};

constexpr std::array models_measured{"mnist_cnn", "lenet5", "mlp"};
constexpr std::array variants{
    Variant{"channels48", {.channels = 48}}, Variant{"channels60", {.channels = 60}},
    Variant{"padding1", {.padding = 1}},     Variant{"kernel5", {.kernel = 5}},
    Variant{"no_dropout", {.dropout = 0}},   Variant{"average_pool", {.average_pool = true}},
};

struct Options {
  TrainingBench bench;
  std::string model = "mnist_cnn";
  std::vector<std::string> variants;  // none: the plain network
  std::vector<std::int64_t> batches = {512};
  bool all = false;
};

TrainingCase variant_case(const Variant& variant, std::int64_t batch) {
  const models::MnistCnnOptions& o = variant.options;
  return {fmt::format("mnist-{}", variant.name), models::mnist_cnn_model(o),
          fmt::format(R"({{"name": "mnist_cnn", "channels": {}, "kernel": {}, "padding": {}, )"
                      R"("dropout": {}, "average_pool": {}}})",
                      o.channels, o.kernel, o.padding, o.dropout, o.average_pool),
          batch};
}

TrainingCase model_case(const std::string& model, std::int64_t batch) {
  return {model == "mnist_cnn" ? "mnist" : "mnist-" + model, models::find_model(model),
          fmt::format(R"({{"name": "{}"}})", model), batch};
}

// What is measured by default has the plain name; another batch of the same run is named.
void add_batches(const TrainingCase& one, const std::vector<std::int64_t>& batches,
                 std::vector<TrainingCase>& cases) {
  for (const std::int64_t batch : batches) {
    TrainingCase here = one;
    here.batch = batch;
    if (batch != batches.front()) here.name += fmt::format("-batch{}", batch);
    cases.push_back(std::move(here));
  }
}

std::vector<TrainingCase> cases_of(const Options& options) {
  std::vector<TrainingCase> cases;
  if (options.all) {
    add_batches(model_case("mnist_cnn", 0), {512, 64, 128, 500}, cases);
    for (const Variant& variant : variants) cases.push_back(variant_case(variant, 512));
    for (const char* model : {"lenet5", "mlp"}) cases.push_back(model_case(model, 512));
  } else if (options.variants.empty()) {
    add_batches(model_case(options.model, 0), options.batches, cases);
  }
  for (const Variant& variant : variants) {
    for (const std::string& name : options.variants) {
      if (name == variant.name) add_batches(variant_case(variant, 0), options.batches, cases);
    }
  }
  return cases;
}

void add_options(CLI::App& command, Options& options) {
  std::vector<std::string> names;
  for (const Variant& variant : variants) names.emplace_back(variant.name);
  const auto positive = CLI::Range(std::int64_t{1}, std::int64_t{60000});
  command.add_option("--model", options.model, "mnist_cnn, lenet5 or mlp")
      ->check(
          CLI::IsMember(std::vector<std::string>(models_measured.begin(), models_measured.end())));
  CLI::Option* variant =
      command.add_option("--variant", options.variants, "Of mnist_cnn, as in kernel5,no_dropout")
          ->delimiter(',')
          ->check(CLI::IsMember(names))
          ->excludes("--model");
  CLI::Option* batch =
      command.add_option("--batch", options.batches, "Images in a step, as in 512,64")
          ->delimiter(',')
          ->check(positive);
  command
      .add_flag("--all", options.all,
                "The CNN at batch 512, 64, 128 and 500, all variants, all models")
      ->excludes("--model")
      ->excludes(variant)
      ->excludes(batch);
  options.bench.add_to(command);
}

}  // namespace

void add_bench_mnist(CLI::App& bench, Action& action) {
  CLI::App* command =
      bench.add_subcommand("mnist", "A training step of an MNIST classifier, and PyTorch's");
  auto options = std::make_shared<Options>();
  add_options(*command, *options);
  command->callback([&action, options] {
    action = [options] {
      if (options->bench.settings.quick) options->bench.rounds = {3, 2, 1};
      return run_bench(options->bench.settings, [options] {
        return bench_training("mnist", options->bench, cases_of(*options));
      });
    };
  });
}

}  // namespace backplane::cli
