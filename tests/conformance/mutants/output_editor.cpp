// Changes a run's outputs after the fact, in the order of the queue.
#include "output_editor.hpp"

#include <stdexcept>
#include <vector>

namespace mutants {

namespace {

void check(bp_status status, const Run& run) {
  if (status != BP_OK) throw std::runtime_error(run.target.last_error());
}

// Element positions of a strided tensor, row-major.
std::vector<std::size_t> positions(const bp_tensor_desc& desc) {
  std::vector<std::size_t> result{0};
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    std::vector<std::size_t> longer;
    for (const std::size_t start : result) {
      for (std::int64_t i = 0; i < desc.dims[axis]; ++i) {
        longer.push_back(start + static_cast<std::size_t>(i * desc.strides[axis]));
      }
    }
    result = std::move(longer);
  }
  return result;
}

}  // namespace

void edit_elements(const Run& run, std::size_t output, const Edit& edit) {
  const bp_tensor_desc& desc = run.plan.outputs[output];
  if (desc.dtype != BP_F32 || desc.layout != BP_LAYOUT_STRIDED) return;
  const std::vector<std::size_t> at = positions(desc);
  if (at.empty()) return;
  std::vector<float> values(at.back() + 1);
  const std::size_t bytes = values.size() * sizeof(float);
  const bp_arg where = run.arguments.outputs[output];
  check(run.target.download(run.queue, where, values.data(), bytes), run);
  check(run.target.queue_synchronize(run.queue), run);
  std::vector<float*> elements;
  for (const std::size_t position : at) elements.push_back(&values[position]);
  edit(elements);
  check(run.target.upload(run.queue, where, values.data(), bytes), run);
}

void overwrite_behind(const Run& run, std::size_t output, std::size_t bytes) {
  const bp_tensor_desc& desc = run.plan.outputs[output];
  if (desc.dtype != BP_F32 || desc.layout != BP_LAYOUT_STRIDED) return;
  const std::vector<std::size_t> at = positions(desc);
  if (at.empty()) return;
  const std::vector<char> zeros(bytes);
  bp_arg behind = run.arguments.outputs[output];
  behind.offset += (at.back() + 1) * sizeof(float);
  check(run.target.upload(run.queue, behind, zeros.data(), bytes), run);
}

}  // namespace mutants
