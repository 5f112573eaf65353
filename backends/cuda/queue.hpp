// A queue is a stream with its cuBLAS handle, its staging memory and its error record.
#pragma once

#include "buffer.hpp"
#include "staging.hpp"

namespace backplane::cuda {

class CudaQueue final : public plugin::Queue {
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

  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] cublasHandle_t blas() const { return blas_.get(); }

  // The error record twice: in device memory for kernels to look at, and in mapped host memory,
  // where the host reads it without a copy.
  [[nodiscard]] Memory record() const { return {record_.get(), 0}; }
  [[nodiscard]] Memory mirror() const { return {mirror_on_device_, 0}; }

 private:
  void clear_record();

  int ordinal_;
  StreamHandle stream_;
  BlasHandle blas_;
  DeviceMemory<char> record_;
  PinnedMemory<char> mirror_;
  char* mirror_on_device_ = nullptr;
  bp_error_record last_{};  // as of the last synchronisation
  Staging staging_;
};

}  // namespace backplane::cuda
