// Launches: one kernel, or an optimizer's kernel on many tensors at once.
#include <array>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "queue.hpp"

namespace backplane::cuda {
namespace {

// The kernel that does to many tensors what `kernel` does to one, and whether it is a step, which
// looks at the error record.
struct Batched {
  const void* kernel;
  bool is_step;
};

Batched batch_of(std::uint32_t kernel) {
  switch (kernel) {
    case card::kernel::sgd_step.number:
      return {backplane_cuda_sgd_step_batch, true};
    case card::kernel::adam_step.number:
      return {backplane_cuda_adam_step_batch, true};
    case card::kernel::rmsprop_step.number:
      return {backplane_cuda_rmsprop_step_batch, true};
    case card::kernel::square_sums.number:
      return {backplane_cuda_square_sums_batch, false};
    case card::kernel::clip_by_norm.number:
      return {backplane_cuda_clip_by_norm_batch, false};
    case card::kernel::clamp_float.number:
      return {backplane_cuda_clip_by_value_batch, false};
  }
  throw plugin::invalid("cuda: kernel " + std::to_string(kernel) + " has no form for many tensors");
}

}  // namespace

void CudaQueue::start(const void* kernel, unsigned groups, unsigned tensors,
                      std::span<const card::Value> values) {
  constexpr std::size_t most_values = 32;
  std::array<void*, most_values> addresses;
  if (values.size() > most_values) throw plugin::invalid("cuda: a kernel with so many parameters");
  std::ranges::transform(values, addresses.begin(), [](const card::Value& value) {
    return const_cast<void*>(value.address);  // CUDA only reads it
  });
  const KernelLaunch launch{kernel, dim3(groups, tensors, 1), dim3(GROUP, 1, 1), addresses.data()};
  if (rewriter_ != nullptr) {
    rewriter_->launch(launch);
    return;
  }
  check(cudaLaunchKernel(launch.kernel, launch.grid, launch.block, launch.arguments, 0,
                         stream_.get()),
        "launching a kernel");
  if (recorder_ != nullptr) recorder_->note_launch();
}

void CudaQueue::launch(std::uint32_t kernel, card::Groups groups,
                       std::span<const card::Value> values) {
  const CurrentDevice scope(ordinal_);
  start(backplane_cuda_kernels[kernel], groups, 1, values);
}

bool CudaQueue::launch_many(std::uint32_t kernel, std::span<const card::ManyTensor> tensors,
                            card::Value scalars) {
  const CurrentDevice scope(ordinal_);
  const Batched batched = batch_of(kernel);
  const card::Memory record = this->record();
  while (!tensors.empty()) {
    const auto now = tensors.first(std::min<std::size_t>(tensors.size(), BATCH_TENSORS));
    Batch batch{};
    i64 longest = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto& operands = now[i].operands;
      for (std::size_t list = 0; list < operands.size(); ++list) {
        batch.lists[list][i] = address(operands[list]);
      }
      batch.counts[i] = now[i].count;
      longest = std::max(longest, now[i].count);
    }
    std::vector<card::Value> values{{&batch, sizeof batch}};
    if (scalars.bytes > 0) values.push_back(scalars);
    if (batched.is_step) {
      values.push_back({&record.handle, sizeof record.handle});
      values.push_back({&record.offset, sizeof record.offset});
    }
    if (longest > 0) {
      start(batched.kernel, card::items(longest), static_cast<unsigned>(now.size()), values);
    }
    tensors = tensors.subspan(now.size());
  }
  return true;
}

}  // namespace backplane::cuda
