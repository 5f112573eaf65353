// Operations run by their description: what functional.hpp has no function for.
#pragma once

#include <span>
#include <vector>

#include "backplane/operation.hpp"
#include "backplane/plan.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

// Runs an operation, such as one of a plug-in's own (Operation::named), on the device of its inputs
// and its current stream; plans are cached and observers told as for any function. Of `outputs`
// type and shape count, and the device chooses how they lie; the caller says them, since only the
// plug-in's author knows how they follow from the inputs.
//
// Nothing is recorded: a Function (function.hpp) gives it a gradient. Error(unsupported) if the
// device doesn't know the operation or declines it: the text has its reason, and who could.
[[nodiscard]] std::vector<Tensor> run_operation(const Operation& operation,
                                                std::span<const Tensor> inputs,
                                                std::span<const TensorSpec> outputs);
// Of one output.
[[nodiscard]] Tensor run_operation(const Operation& operation, std::span<const Tensor> inputs,
                                   const TensorSpec& output);

}  // namespace backplane
