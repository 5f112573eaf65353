// One operation on the reference back end, from host tensors to host tensors.
#include "observe/reference_run.hpp"

#include <optional>

#include "backplane/autograd.hpp"
#include "backplane/stream.hpp"

namespace backplane::detail {

namespace {

// Multi-tensor operations write where they read: the input that is the memory of an output. The
// inputs of a step are lists of `count` tensors, of which the gradients, list 1, have no output.
std::optional<std::size_t> updated_input(const Operation& operation, std::size_t output) {
  const auto of_step = [output](std::size_t count) {
    return output < count ? output : output + count;
  };
  if (const auto* sgd = operation.as<op::SgdStep>()) return of_step(sgd->count);
  if (const auto* adam = operation.as<op::AdamStep>()) return of_step(adam->count);
  if (const auto* rmsprop = operation.as<op::RmspropStep>()) return of_step(rmsprop->count);
  if (operation.as<op::ClipByNorm>() || operation.as<op::ClipByValue>()) return output;
  return std::nullopt;
}

}  // namespace

std::vector<Tensor> run_on_reference(const Operation& operation, std::span<const Tensor> inputs,
                                     std::span<const TensorSpec> outputs, std::uint32_t adds_to,
                                     std::span<const Tensor> previous) {
  const NoGradGuard no_grad;
  const NumericsGuard numerics(Numerics::strict);
  const Device reference = device("reference:0");
  const Stream stream(reference);
  const StreamGuard current(stream);

  std::vector<Tensor> src, dst;
  std::vector<TensorSpec> src_specs;
  for (const Tensor& input : inputs) {
    src.push_back(input.contiguous().copy_to(reference));
    src_specs.push_back(spec_of(src.back()));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (const auto input = updated_input(operation, i)) {
      dst.push_back(src.at(*input));
    } else if (adds_to >> i & 1) {
      dst.push_back(previous[i].contiguous().copy_to(reference));
    } else {
      dst.push_back(empty(outputs[i], reference));
    }
  }
  const Plan plan(reference, operation, src_specs, outputs, {.adds_to = adds_to});
  plan.run(operation, src, dst);
  try {
    stream.synchronize();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
  }
  std::vector<Tensor> results;
  for (const Tensor& output : dst) results.push_back(output.cpu());
  return results;
}

}  // namespace backplane::detail
