// Winners are counted where the cost model finds either way cheaper for some numbers of them.
#include "gradients_by_winners.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "cpu/conv_cost.h"
#include "either.hpp"
#include "layout.hpp"
#include "own_convolution.hpp"
#include "parallel.hpp"
#include "sparse_gradients.hpp"

namespace backplane::onednn {
namespace {

// The share of a thread.
cpu::ConvQuestion question_of(const SparseProblem& problem, const cpu::ConvShape& shape,
                              bool strict) {
  cpu::ConvQuestion question{.shape = shape, .lanes = cpu::vector_lanes(), .strict = strict};
  question.shape.images = (problem.images + problem.threads - 1) / problem.threads;
  return question;
}

// The cheaper dense gradient of an image and group, in cycles, where kernels of our own take `own`
// for the question: the copies into blocks that the vendor's library asks for are part of what it
// costs.
double dense_cycles(const SparseProblem& problem, const cpu::ConvQuestion& question, double library,
                    double own) {
  const cpu::ConvShape& shape = question.shape;
  const std::int64_t elements =
      shape.images * (shape.channels * shape.height * shape.width +
                      shape.outputs * shape.out_height() * shape.out_width());
  library += cycles_to_reorder * static_cast<double>(elements);
  return cpu::sparse_conv_expansion_cycles(problem.conv) +
         std::min(library, own) / static_cast<double>(shape.images * problem.groups);
}
double dense_data_cycles(const SparseProblem& problem, bool strict) {
  const bool turns = problem.shape.stride[0] == 1 && problem.shape.stride[1] == 1;
  const cpu::ConvQuestion question = question_of(
      problem, turns ? cpu::shape_of_backward_data(problem.shape) : problem.shape, strict);
  const cpu::ConvCosts costs = cpu::conv_costs(question);
  const double own = turns ? std::min(costs.of(cpu::ConvAlgorithm::winograd_4),
                                      costs.of(cpu::ConvAlgorithm::winograd_6))
                           : std::numeric_limits<double>::infinity();
  return dense_cycles(problem, question, costs.of(cpu::ConvAlgorithm::library), own);
}
double dense_weight_cycles(const SparseProblem& problem) {
  const cpu::ConvQuestion question = question_of(problem, problem.shape, true);
  return dense_cycles(problem, question, cpu::conv_costs(question).of(cpu::ConvAlgorithm::library),
                      cpu::direct_backward_weight_cycles(question));
}

// Up to so many winners an image and group, of those whose gradient isn't 0, sparse is the cheaper
// way.
std::int64_t most_winners(const cpu::SparseConvCost& cost, double dense) {
  return static_cast<std::int64_t>(std::floor((dense - cost.fixed) / cost.per_term));
}

// Counts them, in all images.
std::int64_t count_winners(const SparseProblem& problem, const float* dy,
                           const std::uint8_t* winners) {
  std::atomic<std::int64_t> count = 0;
  in_parallel(problem.threads, [&](unsigned part) {
    const Share mine = share_of(problem.images * problem.conv.pooled_stride, part, problem.threads);
    count +=
        cpu::sparse_conv_count_terms(mine.end - mine.begin, dy + mine.begin, winners + mine.begin);
  });
  return count;
}

// Where the pooled gradient and the winners are among a request's inputs, and where sparse pays.
struct Choice {
  std::size_t dy, winners;
  std::int64_t most_winners;  // of an image and group
};

std::unique_ptr<plugin::Plan> choose(OnednnDevice& device, const SparseProblem& problem,
                                     const Choice& choice, plugin::Request& request,
                                     const MakePlan& sparse, const MakePlan& dense) {
  if (choice.most_winners <= 0 || !std::ranges::all_of(request.outputs, can_be_row_major)) {
    return dense(request);
  }
  make_row_major(request.inputs);
  make_row_major(request.outputs);
  if (choice.most_winners >= problem.filters_step()) return sparse(request);
  const auto sparse_while_few = [&](plugin::Request& same) {
    auto plan = sparse(same);
    same.implementation += " up to " + std::to_string(choice.most_winners) + " of " +
                           std::to_string(problem.filters_step()) + " winners";
    return plan;
  };
  const auto dense_as_it_lies = [&](plugin::Request& same) {
    return plan_as_it_lies(device, same, dense);
  };
  return plan_either(request, sparse_while_few, dense_as_it_lies, [=](const plugin::HostRun& run) {
    const auto* dy = run.input<float>(choice.dy);
    const auto* winners = run.input<std::uint8_t>(choice.winners);
    return count_winners(problem, dy, winners) <=
           choice.most_winners * problem.images * problem.groups;
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> plan_backward_data_by_winners(const PooledGradient& gradient,
                                                            plugin::Request& request,
                                                            const MakePlan& dense) {
  const PooledOperands operands{request.outputs[0], request.inputs[2], request.inputs[0],
                                request.inputs[1]};
  const SparseProblem problem =
      sparse_problem(gradient.check, gradient.params, operands, request.threads);
  if (!fits_sparse_conv(operands, gradient.params.conv)) return dense(request);
  const std::int64_t most = most_winners(cpu::sparse_conv_backward_data_cost(problem.conv),
                                         dense_data_cycles(problem, request.strict));
  return choose(
      gradient.device, problem, {0, 1, most}, request,
      [&](plugin::Request& same) { return plan_sparse_backward_data(problem, same); }, dense);
}

std::unique_ptr<plugin::Plan> plan_backward_weight_by_winners(const PooledGradient& gradient,
                                                              plugin::Request& request,
                                                              const MakePlan& dense) {
  const PooledOperands operands{request.inputs[0], request.outputs[0], request.inputs[1],
                                request.inputs[2]};
  const SparseProblem problem =
      sparse_problem(gradient.check, gradient.params, operands, request.threads);
  if (request.outputs.size() == 2) {
    gradient.check.dtype(request.outputs[1], "dbias", {BP_F32});
    gradient.check.dims(request.outputs[1], "dbias", {operands.dy.dims[1]});
  }
  if (!fits_sparse_conv(operands, gradient.params.conv)) return dense(request);
  const std::int64_t most = most_winners(cpu::sparse_conv_backward_weight_cost(problem.conv),
                                         dense_weight_cycles(problem));
  return choose(
      gradient.device, problem, {1, 2, most}, request,
      [&](plugin::Request& same) { return plan_sparse_backward_weight(problem, same); }, dense);
}

}  // namespace backplane::onednn
