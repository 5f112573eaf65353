// The scalars of one repetition.
#include "compile/scalars.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace backplane::detail {

Operation current_operation(const GraphStep& step, const GeneratorState& draws) {
  if (step.refreshed) return step.refreshed();
  if (!step.draws) return step.operation;
  std::array<std::byte, Operation::capacity> scalars;
  const auto recorded = step.operation.scalars();
  std::ranges::copy(recorded, scalars.begin());
  op::PhiloxScalars draw;
  std::memcpy(&draw, scalars.data(), sizeof draw);
  draw = {static_cast<std::uint32_t>(draws.seed), static_cast<std::uint32_t>(draws.seed >> 32),
          draws.site + draw.site, draws.step, draws.first_sample};
  std::memcpy(scalars.data(), &draw, sizeof draw);
  return step.operation.with_scalars(std::span(scalars).first(recorded.size()));
}

}  // namespace backplane::detail
