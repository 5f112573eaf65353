// One card: its memory, queues and events, and a plan for every operation.
#pragma once

#include <cstdint>
#include <memory>

#include "backplane/plugin/backend.hpp"

namespace backplane::cuda {

class CudaDevice final : public plugin::DeviceOf<CudaDevice> {
 public:
  explicit CudaDevice(int ordinal);

  void info(bp_device_info& info) override;
  void memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override;
  std::unique_ptr<plugin::Buffer> allocate(std::uint64_t bytes) override;
  std::unique_ptr<plugin::Buffer> wrap(void* memory, std::uint64_t bytes) override;
  std::unique_ptr<plugin::Queue> create_queue() override;
  std::unique_ptr<plugin::Event> create_event() override;
  void* native() override { return &ordinal_; }  // an int*: the CUDA ordinal

  // One for each row of ops.hpp, defined in the file of the operation's name; a gradient stands
  // beside what it is the gradient of.
#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic) \
  std::unique_ptr<plugin::Plan> plan(const op::Op&, plugin::Request&);
  BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

  // What cuBLAS should have for scratch on this card.
  [[nodiscard]] std::uint64_t blas_workspace_bytes() const;

 private:
  int ordinal_;
  int capability_;  // 86 for sm_86
};

}  // namespace backplane::cuda
