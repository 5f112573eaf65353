// Mutants of pooling.
#include "breaks.hpp"

namespace mutants {

namespace {

// What atomic stores do in place of atomic sums.
void last_write_wins(const Run& run) {
  if (!is<op::MaxPool2dBackward>(run)) return;
  op::MaxPool2dBackward p;
  std::memcpy(&p, run.plan.params.data(), sizeof p);
  const std::vector<double> dy = read_input(run, 0), winners = read_input(run, 1);
  const auto& from = run.plan.inputs[0].dims;
  const auto& to = run.plan.outputs[0].dims;
  edit_elements(run, 0, [&](std::span<double> dx) {
    std::ranges::fill(dx, 0);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(dy.size()); ++i) {
      const auto winner = static_cast<std::int64_t>(winners[static_cast<std::size_t>(i)]);
      if (winner >= p.kernel[0] * p.kernel[1]) continue;
      const std::int64_t row =
          i / from[3] % from[2] * p.stride[0] - p.padding[0] + winner / p.kernel[1] * p.dilation[0];
      const std::int64_t column =
          i % from[3] * p.stride[1] - p.padding[1] + winner % p.kernel[1] * p.dilation[1];
      const std::int64_t plane = i / (from[2] * from[3]);
      dx[static_cast<std::size_t>((plane * to[2] + row) * to[3] + column)] =
          dy[static_cast<std::size_t>(i)];
    }
  });
}

constexpr Mutant table[] = {
    {.name = "max_pool2d_overlap",
     .breaks = "where windows overlap, the last gradient wins",
     .filter = "max_pool2d_backward(2x2x9x9*contiguous",
     .after_run = last_write_wins},
    {.name = "max_pool2d_nan",
     .breaks = "a NaN loses in max_pool2d",
     .filter = "max_pool2d(*special*",
     .after_run =
         change_output<op::MaxPool2d, each<[](double y) { return std::isnan(y) ? 0 : y; }>>},
    {.name = "max_pool2d_padding",
     .breaks = "max_pool2d takes padding for zeros",
     .filter = "max_pool2d(*padding*",
     .after_run = change_output<op::MaxPool2d, each<[](double y) { return y < 0 ? 0 : y; }>>},
    {.name = "max_pool2d_winner",
     .breaks = "the second of two equal winners is noted",
     .filter = "max_pool2d(*ties*",
     .after_run = change_output<op::MaxPool2d,
                                each<[](double winner) { return winner == 0 ? 1 : winner; }>, 1>},
    {.name = "avg_pool2d_divisor",
     .breaks = "avg_pool2d counts padding where it shouldn't, and the other way round",
     .filter = "avg_pool2d(*contiguous",
     .change_request =
         change_params<op::AvgPool2d, [](auto& p) { p.count_include_pad = !p.count_include_pad; }>},
    {.name = "adaptive_avg_pool2d_sum",
     .breaks = "adaptive_avg_pool2d divides by twice the elements of a window",
     .filter = "adaptive_avg_pool2d(*contiguous",
     .after_run = change_output<op::AdaptiveAvgPool2d, each<[](double y) { return y / 2; }>>},
};

}  // namespace

std::span<const Mutant> pooling_mutants() {
  return table;
}

}  // namespace mutants
