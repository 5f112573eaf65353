// The cost model's candidates for a convolution, as text for people.
#pragma once

#include <span>
#include <string>

#include "backplane/backplane.hpp"

namespace backplane::cli {

// For a share of the threads in use, of operands in rows: a line for each candidate, with its
// cycles. Empty for other operations, and for gradients that aren't a convolution of the same kind.
[[nodiscard]] std::string explain_convolution(const Operation& operation,
                                              std::span<const Tensor> inputs, Numerics numerics);

}  // namespace backplane::cli
