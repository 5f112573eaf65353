// The one road that every operation takes: check -> autocast -> plan -> outputs -> enqueue -> observers.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "backplane/operation.hpp"
#include "backplane/tensor.hpp"

namespace backplane::detail {

// An output that dispatch allocates, in the layout that the back end prefers.
struct Output {
  DType dtype;
  Shape shape;
};

// Runs on the device of the inputs; Error(invalid_argument) if they lie on two.
[[nodiscard]] Tensor run(const Operation& operation, std::initializer_list<Tensor> inputs,
                         const Output& output);
[[nodiscard]] std::vector<Tensor> run(const Operation& operation, std::span<const Tensor> inputs,
                                      std::span<const Output> outputs);

// Into existing, strided tensors: fills, copies, random numbers, steps of an optimizer. Outputs may
// be the memory of inputs where the operation's row allows it; their version goes up. A bit of
// `adds_to` adds to that output instead of overwriting it.
void run_in_place(const Operation& operation, std::span<const Tensor> inputs,
                  std::span<const Tensor> outputs, std::uint32_t adds_to = 0);

}  // namespace backplane::detail
