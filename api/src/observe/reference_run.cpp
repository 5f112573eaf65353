// One operation on the reference back end, from host tensors to host tensors.
#include "observe/reference_run.hpp"

#include "backplane/autograd.hpp"
#include "backplane/stream.hpp"

namespace backplane::detail {

namespace {

// Multi-tensor steps write where they read. Their inputs are `groups` lists of `count` tensors, of
// which the gradients, list 1, have no output.
std::size_t updated_input(std::size_t output, std::size_t count) {
  return output < count ? output : output + count;
}

std::size_t updated_count(const Operation& operation) {
  if (const auto* sgd = operation.as<op::SgdStep>()) return sgd->count;
  if (const auto* adam = operation.as<op::AdamStep>()) return adam->count;
  return 0;
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
    if (const std::size_t count = updated_count(operation)) {
      dst.push_back(src.at(updated_input(i, count)));
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
