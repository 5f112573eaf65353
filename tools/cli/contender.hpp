// Contenders: whoever is measured in a benchmark, ours and peers, in turn.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench_report.hpp"

namespace backplane::cli {

struct Contender {
  Party party;
  // Does it so many times and gives the seconds: of each time, or their mean alone.
  // Error(unsupported) if it can't.
  std::function<std::vector<double>(std::int64_t count)> measure;
  std::vector<std::vector<double>> rounds{};  // what it gave, one for each round
};

struct Rounds {
  std::int64_t rounds = 5, count = 8, warm_up = 2;
};

// Warms up and measures. In turn, and every other round backwards, so that what drifts on the
// machine meets all alike. Who can't do it is taken out of the list, with the reason in `notes`.
void measure_in_turn(std::vector<Contender>& contenders, const Rounds& rounds,
                     const std::string& label, std::vector<std::string>& notes);

}  // namespace backplane::cli
