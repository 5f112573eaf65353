// The cost model's candidates for a convolution, as text for people.
#pragma once

#include <span>
#include <string>

#include "backplane/backplane.hpp"

namespace backplane::cli {

// For a share of the threads in use, of operands in rows: a line for each candidate, with its
// cycles. Of the gradient behind a pool, those that compute it dense. Empty for other operations,
// and for gradients that aren't a convolution of the same kind.
[[nodiscard]] std::string explain_convolution(const Operation& operation,
                                              std::span<const Tensor> inputs,
                                              std::span<const Tensor> outputs, Numerics numerics);

}  // namespace backplane::cli
