// Mutants of softmax and its logarithm.
#include "breaks.hpp"

namespace mutants {

namespace {

void turn_axis(bp_plan_request& request) {
  thread_local op::Softmax turned;
  if (!is<op::Softmax>(request) || request.inputs[0].rank < 2) return;
  const auto rank = static_cast<std::int32_t>(request.inputs[0].rank);
  turned.axis = (static_cast<const op::Softmax*>(request.op.params)->axis + 1) % rank;
  request.op.params = &turned;
}

void diagonal_only(const Run& run) {
  if (!is<op::SoftmaxBackward>(run)) return;
  const std::vector<double> dy = read_input(run, 0), y = read_input(run, 1);
  edit_elements(run, 0, [&](std::span<double> dx) {
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = dy[i] * y[i];
  });
}

constexpr Mutant table[] = {
    {.name = "softmax_axis",
     .breaks = "softmax runs along another axis",
     .filter = "softmax(*contiguous",
     .change_request = turn_axis},
    {.name = "softmax_gradient",
     .breaks = "the gradient of softmax leaves out the sum",
     .filter = "softmax_backward(*contiguous",
     .after_run = diagonal_only},
    {.name = "softmax_precision",
     .breaks = "softmax keeps ten bits of a mantissa",
     .filter = "softmax(*contiguous",
     .after_run = change_output<op::Softmax, each<as_tf32>>},
    {.name = "log_softmax_far",
     .breaks = "log_softmax is the logarithm of an underflow",
     .filter = "log_softmax(*",
     .after_run =
         change_output<op::LogSoftmax, each<[](double y) { return y < -104 ? -INFINITY : y; }>>},
};

}  // namespace

std::span<const Mutant> softmax_mutants() {
  return table;
}

}  // namespace mutants
