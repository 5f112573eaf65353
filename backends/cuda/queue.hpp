// A queue is a stream with its cuBLAS handle, its staging memory and its error record.
#pragma once

#include "buffer.hpp"
#include "card/queue.hpp"
#include "sequence.hpp"
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
  void run(plugin::Plan& plan, const bp_run& run) override;
  void copy_peer(bp_arg source, bp_arg target, std::uint64_t bytes) override;
  void upload_pinned(bp_arg target, const void* source, std::uint64_t bytes) override;
  void begin_sequence() override;
  std::unique_ptr<plugin::Sequence> end_sequence() override;

  void launch(std::uint32_t kernel, card::Groups groups,
              std::span<const card::Value> values) override;
  bool launch_many(std::uint32_t kernel, std::span<const card::ManyTensor> tensors,
                   card::Value scalars) override;
  void copy_memory(const card::Memory& target, const card::Memory& source,
                   std::uint64_t bytes) override;
  card::Memory record() const override { return {record_.get(), 0}; }
  card::Memory mirror() const override { return {mirror_on_device_, 0}; }

  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] cublasHandle_t blas() const { return blas_.get(); }

  // Calls body(), in which launches go to the rewriter instead of the stream.
  template <class Body>
  void rewrite(Rewriter& rewriter, Body&& body) {
    rewriter_ = &rewriter;
    try {
      body();
    } catch (...) {
      rewriter_ = nullptr;
      throw;
    }
    rewriter_ = nullptr;
  }
  // Invalid while a sequence is recorded: it holds runs and copies on the card, nothing else.
  void refuse_while_recording(const char* what) const;

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
  std::unique_ptr<Recorder> recorder_;  // while a sequence is recorded
  Rewriter* rewriter_ = nullptr;        // while one gets new scalars
};

}  // namespace backplane::cuda
