// Launches: one kernel, or an optimizer's kernel on many tensors at once.
#include <array>

#include "kernels.hpp"
#include "queue.hpp"

namespace backplane::cuda {
namespace {

// The kernel that does to many tensors what `kernel` does to one.
const void* batch_of(std::uint32_t kernel) {
  switch (kernel) {
    case card::kernel::sgd_step.number:
      return backplane_cuda_sgd_step_batch;
    case card::kernel::adam_step.number:
      return backplane_cuda_adam_step_batch;
    default:
      return backplane_cuda_rmsprop_step_batch;
  }
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

bool CudaQueue::launch_steps(std::uint32_t kernel, std::span<const card::StepTensor> tensors,
                             card::Value scalars) {
  const CurrentDevice scope(ordinal_);
  const void* const batched = batch_of(kernel);
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
    const card::Value values[] = {{&batch, sizeof batch},
                                  scalars,
                                  {&record.handle, sizeof record.handle},
                                  {&record.offset, sizeof record.offset}};
    if (longest > 0)
      start(batched, card::items(longest), static_cast<unsigned>(now.size()), values);
    tensors = tensors.subspan(now.size());
  }
  return true;
}

}  // namespace backplane::cuda
