// Runs one operation on a device the way dispatch does, from a plan that is at hand.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backplane/operation.hpp"
#include "backplane/plan.hpp"
#include "backplane/tensor.hpp"

namespace conformance {

struct ExecuteOptions {
  std::uint32_t adds_to = 0;
  bool any_layout = false;  // let the plan choose the outputs' layout, then copy or add
};

// Enqueues `operation` on the current stream: inputs are reordered where the plan wants another
// layout. Outputs that the plan can't write as they lie are computed beside, then copied or added.
// Returns the name of the kernel. Error(unsupported) if the device can't do it either way.
std::string execute(const backplane::Operation& operation,
                    std::span<const backplane::Tensor> inputs,
                    std::span<const backplane::Tensor> outputs, const ExecuteOptions& options = {});

struct OutputKind {
  backplane::DType dtype;
  backplane::Shape shape;
};

// The tensors, each copied to the layout that a plan asks for where it lies in another one.
[[nodiscard]] std::vector<backplane::Tensor> in_layouts(
    std::span<const backplane::Tensor> tensors, const std::vector<backplane::TensorSpec>& wanted);

// From host tensors to host tensors, without guards: for answers that are judged as a whole.
[[nodiscard]] std::vector<backplane::Tensor> run_operation(
    backplane::Device device, const backplane::Operation& operation,
    const std::vector<backplane::Tensor>& inputs, const std::vector<OutputKind>& outputs);

}  // namespace conformance
