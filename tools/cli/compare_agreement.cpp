// Agreement: a few audited steps, then the losses of a free run.
#include "compare_agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "progress_bar.hpp"
#include "training.hpp"

namespace backplane::cli {
namespace {

constexpr int audited_steps = 3;
constexpr double loss_bound = 1e-4;

// Of a compiled step, the first two record and the third is fused; by tiles nobody would see it.
AgreementAudit::Report audit(models::TrainOptions options) {
  options.tiled = false;
  models::Trainer trainer(options);
  AgreementAudit audit;
  const ObserverGuard guard(audit);
  ProgressBar bar(options.device.name() + " operations");
  for (int step = 1; step <= audited_steps; ++step) {
    trainer.step();
    bar.show(static_cast<double>(step) / audited_steps,
             fmt::format("{} checked", audit.report().operations_checked));
  }
  return audit.report();
}

// Infinite where a value is not a number or a step is missing: neither is agreement.
double max_relative_difference(const std::vector<double>& losses,
                               const std::vector<double>& expected) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (losses.size() != expected.size()) return infinity;
  double worst = 0;
  for (std::size_t step = 0; step < losses.size(); ++step) {
    const double difference = std::abs(losses[step] - expected[step]);
    if (difference == 0) continue;
    const double relative = difference / std::abs(expected[step]);
    worst = std::isnan(relative) ? infinity : std::max(worst, relative);
  }
  return worst;
}

}  // namespace

models::TrainOptions agreement_options(models::TrainOptions options) {
  constexpr std::int64_t images = 512, batch = 32;
  options.images = options.images == 0 ? images : std::min(options.images, images);
  options.epochs = 1;
  options.batch = std::min({options.batch, batch, options.images});
  options.evaluate = false;
  return options;
}

Agreement check_agreement(const models::TrainOptions& options,
                          const std::vector<double>& reference_losses) {
  models::TrainOptions free_run = agreement_options(options);
  const AgreementAudit::Report report = audit(free_run);

  const auto steps = static_cast<std::int64_t>(reference_losses.size());
  free_run.epochs = steps;  // at least enough: an epoch has a step or more
  free_run.max_steps = steps;
  free_run.progress = {};
  const models::TrainResult result = models::train(free_run);

  Agreement agreement;
  agreement.steps = steps;
  agreement.max_relative_loss_difference = max_relative_difference(result.losses, reference_losses);
  agreement.operations_checked = report.operations_checked;
  agreement.worst_operation = report.worst_operation;
  agreement.worst_error_over_bound = report.worst_error_over_bound;
  agreement.first_failure = report.first_failure;
  agreement.agrees = report.agrees() && agreement.max_relative_loss_difference <= loss_bound;
  return agreement;
}

}  // namespace backplane::cli
