// One operation on the reference back end, from host tensors to host tensors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backplane/operation.hpp"
#include "backplane/plan.hpp"
#include "backplane/tensor.hpp"

namespace backplane::detail {

// On a stream of its own, so that nobody else's work or error record is touched. An index out of
// range is part of the answer (ops.hpp says what the outputs are then), not an Error.
[[nodiscard]] std::vector<Tensor> run_on_reference(const Operation& operation,
                                                   std::span<const Tensor> inputs,
                                                   std::span<const TensorSpec> outputs,
                                                   std::uint32_t adds_to = 0,
                                                   std::span<const Tensor> previous = {});

}  // namespace backplane::detail
