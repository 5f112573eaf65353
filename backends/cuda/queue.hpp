// A queue is a stream with its cuBLAS handle, its staging memory and its error record.
#pragma once

#include "buffer.hpp"
#include "card/queue.hpp"
#include "staging.hpp"

namespace backplane::cuda {

class CudaQueue final : public card::Queue {
 public:
  explicit CudaQueue(int ordinal);
  ~CudaQueue() override;

  void upload(bp_arg target, const void* source, std::uint64_t bytes) override;
  void download(bp_arg source, void* target, std::uint64_t bytes) override;
  void copy(bp_arg source, bp_arg target, std::uint64_t bytes) override;
  void synchronize() override;
  bool idle() override;
  bp_error_record error(bool clear) override;
  void* native() override { return stream_.get(); }

  void launch(std::uint32_t kernel, card::Groups groups,
              std::span<const card::Value> values) override;
  bool launch_steps(std::uint32_t kernel, std::span<const card::StepTensor> tensors,
                    card::Value scalars) override;
  void copy_memory(const card::Memory& target, const card::Memory& source,
                   std::uint64_t bytes) override;
  card::Memory record() const override { return {record_.get(), 0}; }
  card::Memory mirror() const override { return {mirror_on_device_, 0}; }

  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] cublasHandle_t blas() const { return blas_.get(); }

 private:
  void clear_record();
  void start(const void* kernel, unsigned groups, unsigned tensors,
             std::span<const card::Value> values);

  int ordinal_;
  StreamHandle stream_;
  BlasHandle blas_;
  DeviceMemory<char> record_;
  PinnedMemory<char> mirror_;  // mapped, so that the host reads it without a copy
  char* mirror_on_device_ = nullptr;
  bp_error_record last_{};  // as of the last synchronisation
  Staging staging_;
};

}  // namespace backplane::cuda
