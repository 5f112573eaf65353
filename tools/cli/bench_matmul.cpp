// backplane bench matmul: products of square matrices of growing size on every device.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "backplane/backplane.hpp"
#include "bench.hpp"
#include "table.hpp"

namespace backplane::cli {
namespace {

struct Options {
  BenchSettings settings;
  std::vector<std::string> devices;  // none: all
  std::vector<std::int64_t> sizes = {128, 256, 512, 1024, 2048};
  std::int64_t repeats = 5;
  double limit = 10;  // seconds that one size on one device may take
};

double seconds_of_product(const Tensor& a, const Tensor& b) {
  const auto start = std::chrono::steady_clock::now();
  (void)matmul(a, b);
  a.device().synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double work_of(std::int64_t size) {
  const auto n = static_cast<double>(size);
  return 2 * n * n * n;
}

// A row for each size. Ends with the first that would take too long, by the rate of the one before.
std::vector<BenchRow> measure_device(const Options& options, Device device,
                                     std::vector<std::string>& notes) {
  const NoGradGuard no_grad;
  std::vector<BenchRow> rows;
  double rate = 0;
  for (const std::int64_t size : options.sizes) {
    const double work = work_of(size), runs = static_cast<double>(options.repeats + 1);
    if (rate > 0 && runs * work / rate > options.limit) {
      notes.push_back(fmt::format("{}: sizes from {} on left out, {} would take {}", device.name(),
                                  size, options.repeats + 1, format_seconds(runs * work / rate)));
      break;
    }
    const Tensor a = uniform({size, size}, -1, 1, {.device = device});
    const Tensor b = uniform({size, size}, -1, 1, {.device = device});
    BenchRow row{.benchmark = fmt::format("matmul-{}", size),
                 .party = party_of(device, {"eager", "f32", numerics()}),
                 .work = work};
    (void)seconds_of_product(a, b);
    for (std::int64_t i = 0; i < options.repeats; ++i) {
      row.values.push_back(seconds_of_product(a, b));
    }
    rate = work / row.median();
    rows.push_back(std::move(row));
  }
  return rows;
}

BenchReport measure(const Options& options) {
  BenchReport report{.benchmark = "matmul", .title = "time of one product"};
  report.picture_title = "Products of square matrices: f32 GFLOP/s";
  std::vector<Device> measured;
  for (const std::string& name : options.devices) measured.push_back(device(name));
  if (measured.empty()) measured = devices();
  report.peaks = measure_peaks(default_device());
  report.notes.push_back(fmt::format("f32, {} repeats, {} threads", options.repeats, threads()));

  std::vector<std::vector<BenchRow>> of_devices;
  for (const Device& one : measured) {
    of_devices.push_back(measure_device(options, one, report.notes));
  }
  for (std::size_t size = 0; size < options.sizes.size(); ++size) {
    for (const auto& rows : of_devices) {
      if (size >= rows.size()) continue;
      const BenchRow& row = rows[size];
      report.rows.push_back(row);
      // Against the first device: the fastest, unless the user chose another one.
      if (&rows != &of_devices.front()) report.add_ratio(of_devices.front()[size], row);
      const std::string rate = format_number(row.work / row.median() / 1e9) + " GFLOP/s";
      report.bars.push_back({fmt::format("{} {}", options.sizes[size], row.party.device),
                             row.work / row.median(), rate});
    }
  }
  return report;
}

}  // namespace

void add_bench_matmul(CLI::App& bench, Action& action) {
  CLI::App* command = bench.add_subcommand("matmul", "Products of square matrices on every device");
  auto options = std::make_shared<Options>();
  command->add_option("--devices", options->devices, "As in onednn:0,reference:0 (default: all)")
      ->delimiter(',');
  command->add_option("--sizes", options->sizes, "Rows and columns, growing, as in 128,256")
      ->delimiter(',')
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{32768}));
  command->add_option("--repeats", options->repeats, "Products of a size")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
  options->settings.add_picture_to(*command);
  options->settings.add_to(*command);
  command->callback([&action, options] {
    action = [options] {
      if (options->settings.quick) options->limit = 2;
      return run_bench(options->settings, [options] { return measure(*options); });
    };
  });
}

}  // namespace backplane::cli
