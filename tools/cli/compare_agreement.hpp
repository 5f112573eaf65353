// Whether a device computes the same as the reference, by the two measures that mean something for
// training.
#pragma once

#include <vector>

#include "compare_report.hpp"
#include "models/trainer.hpp"

namespace backplane::cli {

// One epoch on few images in small batches: what the reference can run while one waits.
[[nodiscard]] models::TrainOptions agreement_options(models::TrainOptions options);

// Teacher-forced, each operation of the first few steps must meet its own error bound. Running
// free, the losses of as many steps as `reference_losses` has may differ by 1e-4 of the
// reference's: gradients can't be compared that way, because a tie that falls the other way
// changes them at once (see AgreementAudit).
[[nodiscard]] Agreement check_agreement(const models::TrainOptions& options,
                                        const std::vector<double>& reference_losses);

}  // namespace backplane::cli
