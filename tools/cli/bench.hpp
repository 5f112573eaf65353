// The benchmarks of `backplane bench`, and what their commands share.
#pragma once

#include <functional>
#include <string>

#include "bench_report.hpp"
#include "command.hpp"

namespace CLI {
class App;
}

namespace backplane::cli {

struct BenchSettings {
  RunSettings run;
  std::string device;  // empty: the default one
  std::string json;
  bool quick = false;

  void add_to(CLI::App& command);
};

// Runs `measure` under the settings and delivers its report.
int run_bench(BenchSettings& settings, const char* unit,
              const std::function<BenchReport(Device)>& measure);

// As in "eager/f32/standard": how a row of ours was computed.
[[nodiscard]] std::string row_name(std::string_view benchmark, Device device,
                                   std::string_view mode);

void add_bench_mnist(CLI::App& bench, Action& action);
void add_bench_dispatch(CLI::App& bench, Action& action);

}  // namespace backplane::cli
