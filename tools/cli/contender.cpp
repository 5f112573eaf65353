// Contenders in turn.
#include "contender.hpp"

#include <fmt/core.h>

#include "backplane/error.hpp"
#include "progress_bar.hpp"

namespace backplane::cli {
namespace {

bool warms_up(Contender& contender, std::int64_t count, std::vector<std::string>& notes) {
  try {
    (void)contender.measure(count);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    notes.push_back(fmt::format("mode left out: {}: {}", contender.party.name, error.what()));
    return false;
  }
}

}  // namespace

void measure_in_turn(std::vector<Contender>& contenders, const Rounds& rounds,
                     const std::string& label, std::vector<std::string>& notes) {
  ProgressBar bar(label);
  std::erase_if(contenders, [&](Contender& one) { return !warms_up(one, rounds.warm_up, notes); });
  for (std::int64_t round = 0; round < rounds.rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Contender& one = contenders[round % 2 == 0 ? i : contenders.size() - 1 - i];
      one.rounds.push_back(one.measure(rounds.count));
    }
    bar.show(static_cast<double>(round + 1) / static_cast<double>(rounds.rounds),
             fmt::format("round {} of {}", round + 1, rounds.rounds));
  }
}

}  // namespace backplane::cli
