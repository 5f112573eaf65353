// One card: its memory, queues and events; its plans are those of all cards.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "biased_product.hpp"
#include "card/plans.hpp"
#include "dnn.hpp"
#include "monitor.hpp"

namespace backplane::cuda {

class CudaDevice final : public plugin::DeviceOf<CudaDevice>, public card::Plans {
 public:
  explicit CudaDevice(int ordinal);

  void info(bp_device_info& info) override;
  void memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override;
  std::unique_ptr<plugin::Buffer> allocate(std::uint64_t bytes) override;
  std::unique_ptr<plugin::Buffer> wrap(void* memory, std::uint64_t bytes) override;
  std::unique_ptr<plugin::Queue> create_queue() override;
  std::unique_ptr<plugin::Event> create_event() override;
  // Beside the settings of card::Plans: "convolution", which is im2col or cudnn.
  void set_option(const std::string& key, const std::string& value) override;
  void monitor(bp_monitor& monitor) override { read_monitor(ordinal_, monitor); }
  void* allocate_pinned(std::uint64_t bytes) override;
  void* native() override { return &ordinal_; }  // an int*: the CUDA ordinal

  using card::Plans::plan;
  std::unique_ptr<plugin::Plan> plan(const op::Matmul&, plugin::Request&);
  std::unique_ptr<plugin::Plan> plan(const op::Conv2d&, plugin::Request&);
  std::unique_ptr<plugin::Plan> plan(const op::Conv2dBackwardData&, plugin::Request&);
  std::unique_ptr<plugin::Plan> plan(const op::Conv2dBackwardWeight&, plugin::Request&);

 private:
  // By cuDNN if it was asked for and takes it.
  template <class Op>
  std::unique_ptr<plugin::Plan> convolution(const Op& op, plugin::Request& request);
  [[nodiscard]] std::unique_ptr<plugin::Plan> create_part(const bp_op& op,
                                                          plugin::Request& request) override {
    return create_plan(op, request);
  }
  [[nodiscard]] card::Types factor_types() const override { return card::floats; }
  [[nodiscard]] std::shared_ptr<const card::Product> product(const card::Check& check,
                                                             plugin::Request& request,
                                                             const card::Matrix& y,
                                                             const card::Matrix& a,
                                                             const card::Matrix& b) const override;
  // What cuBLAS should have for scratch on this card.
  [[nodiscard]] std::uint64_t blas_workspace_bytes() const;

  int ordinal_;
  int capability_;  // 86 for sm_86
  LtHandle<cublasLtContext> lt_;
  std::mutex mutex_;
  std::shared_ptr<const Convolutions> dnn_;  // null: im2col. Under the mutex
};

}  // namespace backplane::cuda
