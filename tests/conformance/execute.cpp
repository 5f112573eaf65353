// Runs one operation on a device the way dispatch does, from a plan that is at hand.
#include "execute.hpp"

#include <array>

#include "backplane/plugin/abi.h"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

bool same_spec(const TensorSpec& a, const TensorSpec& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.layout == b.layout &&
         (a.layout != BP_LAYOUT_STRIDED || a.strides == b.strides);
}

// One plan, one run; the plan may end before its run does.
void copy(const Tensor& src, const Tensor& dst) {
  const TensorSpec from = spec_of(src), to = spec_of(dst);
  const Plan plan(src.device(), Operation(op::Copy{}), {&from, 1}, {&to, 1});
  plan.run(Operation(op::Copy{}), {&src, 1}, {&dst, 1});
}

Tensor in_layout(const Tensor& tensor, const TensorSpec& wanted) {
  if (same_spec(spec_of(tensor), wanted)) return tensor;
  Tensor reordered = empty(wanted, tensor.device());
  copy(tensor, reordered);
  return reordered;
}

std::vector<TensorSpec> specs_of(std::span<const Tensor> tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : tensors) specs.push_back(spec_of(tensor));
  return specs;
}

}  // namespace

std::vector<Tensor> in_layouts(std::span<const Tensor> tensors,
                               const std::vector<TensorSpec>& wanted) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    result.push_back(in_layout(tensors[i], wanted[i]));
  }
  return result;
}

namespace {

// Straight into the outputs, strided as they are.
std::string run_directly(const Operation& operation, std::span<const Tensor> inputs,
                         std::span<const Tensor> outputs, std::uint32_t adds_to) {
  const Plan plan(outputs.front().device(), operation, specs_of(inputs), specs_of(outputs),
                  {.adds_to = adds_to});
  plan.run(operation, in_layouts(inputs, plan.inputs()), outputs);
  return plan.implementation();
}

void add_to(const Tensor& output, const Tensor& result) {
  const std::array operands{output, result};
  const std::array specs{spec_of(output), spec_of(result)};
  const Operation add(op::Add{});
  const Plan plan(output.device(), add, specs, {specs.data(), 1});
  plan.run(add, in_layouts(operands, plan.inputs()), {&output, 1});
}

// Where the device likes; then copied, or added.
std::string run_beside(const Operation& operation, std::span<const Tensor> inputs,
                       std::span<const Tensor> outputs, std::uint32_t adds_to) {
  const Device device = outputs.front().device();
  std::vector<TensorSpec> wanted = specs_of(outputs);
  for (TensorSpec& spec : wanted) {
    spec.layout = BP_LAYOUT_ANY;
    spec.strides = {};
  }
  const Plan plan(device, operation, specs_of(inputs), wanted);
  std::vector<Tensor> results;
  for (const TensorSpec& spec : plan.outputs()) results.push_back(empty(spec, device));
  plan.run(operation, in_layouts(inputs, plan.inputs()), results);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    (adds_to >> i & 1) != 0 ? add_to(outputs[i], results[i]) : copy(results[i], outputs[i]);
  }
  return plan.implementation();
}

}  // namespace

std::string execute(const Operation& operation, std::span<const Tensor> inputs,
                    std::span<const Tensor> outputs, const ExecuteOptions& options) {
  if (options.any_layout) return run_beside(operation, inputs, outputs, options.adds_to);
  try {
    return run_directly(operation, inputs, outputs, options.adds_to);
  } catch (const Error& error) {
    // A step of an optimizer changes what it reads: nothing can be computed beside it.
    if (error.code() != ErrorCode::unsupported || operation.row().variadic) throw;
  }
  return run_beside(operation, inputs, outputs, options.adds_to);
}

std::vector<Tensor> run_operation(Device device, const Operation& operation,
                                  const std::vector<Tensor>& inputs,
                                  const std::vector<OutputKind>& outputs) {
  std::vector<Tensor> src, dst, results;
  for (const Tensor& input : inputs) src.push_back(input.copy_to(device));
  for (const OutputKind& kind : outputs) {
    dst.push_back(empty(kind.shape, {.dtype = kind.dtype, .device = device}));
  }
  execute(operation, src, dst);
  for (const Tensor& output : dst) results.push_back(output.cpu());
  return results;
}

}  // namespace conformance
