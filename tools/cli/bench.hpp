// The benchmarks of `backplane bench`, and what their commands share.
#pragma once

#include <functional>
#include <string>

#include "bench_modes.hpp"
#include "bench_report.hpp"
#include "command.hpp"

namespace CLI {
class App;
}

namespace backplane::cli {

struct BenchSettings {
  RunSettings run;
  std::string numerics;  // as it was given; empty: it wasn't
  std::string device;    // empty: the default one
  std::string json, picture;
  bool quick = false;

  void add_to(CLI::App& command);
  void add_device_to(CLI::App& command);
  void add_picture_to(CLI::App& command);
  [[nodiscard]] Device chosen_device() const;
};

// Runs `measure` under the settings and delivers its report.
int run_bench(BenchSettings& settings, const std::function<BenchReport()>& measure);

// Ours, as in "onednn:0/eager/f32/standard".
[[nodiscard]] Party party_of(Device device, const Mode& mode);

void add_bench_batch(CLI::App& bench, Action& action);
void add_bench_dispatch(CLI::App& bench, Action& action);
void add_bench_infer(CLI::App& bench, Action& action);
void add_bench_matmul(CLI::App& bench, Action& action);
void add_bench_mnist(CLI::App& bench, Action& action);
void add_bench_ops(CLI::App& bench, Action& action);
void add_bench_resnet(CLI::App& bench, Action& action);

}  // namespace backplane::cli
