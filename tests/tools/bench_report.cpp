// What backplane bench reports: ratios, percentiles, the JSON and the text.
#include "bench_report.hpp"

#include <doctest/doctest.h>

#include "bench_modes.hpp"

using namespace backplane;
using namespace backplane::cli;

namespace {

const Party ours{"fast:0/eager/f32/standard", "fast:0", "eager", "f32"};
const Party peer{"torch/eager/f32", "cpu", "eager", "f32", true};

}  // namespace

TEST_CASE("bench: a ratio is the median over rounds of the peer's time over ours") {
  BenchReport report;
  // The medians alone would give 30 / 20.
  report.add({{.benchmark = "mnist", .party = ours, .values = {10, 20, 40}},
              {.benchmark = "mnist", .party = peer, .values = {20, 80, 30}}});
  REQUIRE(report.ratios.size() == 1);
  CHECK(report.ratios[0].name == "mnist/fast:0/eager/f32/standard:torch/eager/f32");
  CHECK(report.ratios[0].value == 2);
  CHECK(report.rows.size() == 2);
}

TEST_CASE("bench: of rates, as of times, a ratio above 1 says that ours is faster") {
  constexpr Unit rate = Unit::images_per_second;
  BenchReport report;
  report.add({{.benchmark = "infer", .party = peer, .values = {50}, .unit = rate},
              {.benchmark = "infer", .party = ours, .values = {150}, .unit = rate}});
  REQUIRE(report.ratios.size() == 1);
  CHECK(report.ratios[0].value == 3);
}

TEST_CASE("bench: medians and percentiles") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  std::vector<double> hundred;
  for (int i = 100; i > 0; --i) hundred.push_back(i);
  CHECK(percentile(hundred, 0.5) == 50);
  CHECK(percentile(hundred, 0.99) == 99);
  CHECK(percentile({7}, 0.99) == 7);
  CHECK(percentile({1, 2, 3}, 0.99) == 3);
}

TEST_CASE("bench: the JSON has the agreed members in the agreed order") {
  BenchReport report{.benchmark = "mnist", .title = "time"};
  report.rows.push_back({.benchmark = "mnist", .party = ours, .values = {3, 1, 2}});
  report.ratios.push_back({"mnist/fast:0/eager/f32/standard:torch/eager/f32", 2});
  report.peaks = Peaks{2, 4e11, 2e10};
  CHECK(to_json(report) == R"({
  "benchmark": "mnist",
  "rows": [
    {
      "name": "mnist/fast:0/eager/f32/standard",
      "device": "fast:0",
      "mode": "eager",
      "precision": "f32",
      "value": 2.0,
      "unit": "s",
      "median": 2.0,
      "min": 1.0,
      "max": 3.0
    }
  ],
  "ratios": [
    {
      "name": "mnist/fast:0/eager/f32/standard:torch/eager/f32",
      "value": 2.0
    }
  ],
  "peaks": {
    "threads": 2,
    "fma_flop_per_second": 400000000000.0,
    "copy_bytes_per_second": 20000000000.0
  }
}
)");
  report.peaks.reset();
  CHECK(to_json(report).find("\"peaks\": {}") != std::string::npos);
}

TEST_CASE("bench: the text has rates, dense work over the peak, and the ratios last") {
  BenchReport report{.benchmark = "mnist", .title = "time of one step"};
  report.rows.push_back(
      {.benchmark = "mnist", .party = ours, .values = {0.5}, .images = 512, .work = 6e11});
  report.peaks = Peaks{2, 4e11, 2e10};
  report.notes = {"peer absent: torch"};
  report.ratios = {{"a:b", 1.5}};
  CHECK(to_text(report) == R"(
time of one step                 median     min     max  steps/s  images/s  GFLOP/s  of FMA peak
-------------------------------  ------  ------  ------  -------  --------  -------  -----------
mnist/fast:0/eager/f32/standard  500 ms  500 ms  500 ms     2.00      1024     1200        3.00x
peaks of 2 threads: 400 GFLOP/s of multiply-adds, 20.0 GB/s copied
peer absent: torch
a:b  1.50
)" + 1);
}

TEST_CASE("bench: modes are chosen by name and by numerics") {
  CHECK(ModeSettings{}.chosen("").size() == all_modes().size());
  const ModeSettings strict{{"eager/f32/strict"}};
  REQUIRE(strict.chosen("").size() == 1);
  CHECK(strict.chosen("")[0].numerics == Numerics::strict);
  CHECK_THROWS_WITH_AS((void)strict.chosen("standard"),
                       "bench: none of the modes is of numerics standard; leave out --numerics or "
                       "--modes",
                       Error);
}
