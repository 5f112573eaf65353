// backplane-conformance: does a device compute what the reference says?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "backplane/device.hpp"
#include "report.hpp"
#include "supervisor.hpp"
#include "support.hpp"

namespace {

using backplane::Numerics;

struct Options {
  conformance::Job job{.program = std::filesystem::read_symlink("/proc/self/exe").string()};
  std::vector<Numerics> levels{Numerics::strict, Numerics::standard};
  std::string json, manifest, page;
  std::size_t at_least = 1;
  bool list = false, support = false, verbose = false, in_process = false;
  int worker = -1;  // the child's first case
};

Options parse(int argc, char** argv) {
  Options options;
  std::string numerics, mode = "test";
  CLI::App app{"Judges every operation of a device against the reference, case by case."};
  app.set_version_flag("--version", BACKPLANE_VERSION);
  app.add_option("--device", options.job.device, "the device to judge, for example onednn:0")
      ->envname("BACKPLANE_DEVICE");
  app.add_option("filter", options.job.filter, "part of a case's name, or a glob over all of it");
  app.add_option("--mode", mode,
                 "test: every case; grad: those that judge gradients; support: what the device can "
                 "do, by operation and type, without running it")
      ->check(CLI::IsMember({"test", "grad", "support"}))
      ->capture_default_str();
  app.add_option("--support-page", options.page,
                 "print what the manifests of this folder say, as Markdown, and stop");
  app.add_flag("--list", options.list, "print the names of the cases and stop");
  app.add_option("--seed", options.job.seed, "of the random numbers")->capture_default_str();
  app.add_option("--json", options.json, "also write the results to this file");
  app.add_option("--numerics", numerics, "only this level (default: both)")
      ->check(CLI::IsMember({"standard", "strict"}));
  app.add_option("--level", options.job.level,
                 "leave out what is for a back end that is further on")
      ->check(CLI::Range(1, conformance::highest_level))
      ->capture_default_str();
  app.add_option("--manifest", options.manifest,
                 "what the device may decline: a file of filters, one a line");
  app.add_option("--at-least", options.at_least, "fail if fewer cases pass");
  app.add_option("--case-seconds", options.job.seconds_per_case, "stop a case that takes longer")
      ->capture_default_str();
  app.add_option("--option", options.job.options, "a setting of the device, as in key=value")
      ->allow_extra_args(false);
  app.add_flag("--verbose", options.verbose, "print cases that pass, too");
  app.add_flag("--in-process", options.in_process, "no child process, for a debugger");
  app.add_option("--worker", options.worker)->group("");  // how the program starts its child
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  if (!numerics.empty()) {
    options.levels = {numerics == "strict" ? Numerics::strict : Numerics::standard};
  }
  options.support = mode == "support";
  options.job.gradients = mode == "grad";
  if (options.job.device.empty()) options.job.device = "cpu";
  return options;
}

int list(Options& options) {
  for (const Numerics level : options.levels) {
    options.job.numerics = level;
    for (const auto& one : conformance::chosen_cases(options.job)) {
      fmt::print("{} {}\n", one.name, to_string(level));
    }
  }
  return 0;
}

int print_page(const std::string& manifests) {
  fmt::print("{}", conformance::support_page(manifests));
  return 0;
}

int print_support(const Options& options) {
  const backplane::Device device = conformance::device_of(options.job);
  const conformance::Support support = conformance::support(
      [&](const conformance::Case& one) { return conformance::can_plan(device, one); });
  fmt::print("{}", conformance::support_text(support));
  if (!options.json.empty()) {
    conformance::write_file(options.json, conformance::support_json(support, options.job.device));
  }
  return 0;
}

int judge(Options& options) {
  const conformance::Manifest manifest =
      options.manifest.empty() ? conformance::Manifest() : conformance::Manifest(options.manifest);
  conformance::Report report(manifest, options.verbose);
  for (const Numerics level : options.levels) {
    options.job.numerics = level;
    const auto tell = [&](const conformance::Case& one, const conformance::Result& result) {
      report.add(options.job, one, result);
      return true;
    };
    options.in_process ? conformance::run_here(options.job, tell)
                       : conformance::supervise(options.job, tell);
  }
  report.print_summary();
  if (!options.json.empty()) report.write_json(options.json);
  if (report.passed() < options.at_least) {
    fmt::print(
        "the number of cases that pass must be at least {}, it is {}; --verbose prints what "
        "the device declines\n",
        options.at_least, report.passed());
    return 1;
  }
  return report.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse(argc, argv);
  try {
    if (options.worker >= 0) {
      options.job.numerics = options.levels.front();
      conformance::work(options.job, static_cast<std::size_t>(options.worker));
      backplane::shutdown();
      return 0;
    }
    const int status = !options.page.empty() ? print_page(options.page)
                       : options.list        ? list(options)
                       : options.support     ? print_support(options)
                                             : judge(options);
    backplane::shutdown();  // of --in-process
    return status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
