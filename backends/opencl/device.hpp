// One device: its memory, queues and events, and a plan for every operation.
#pragma once

#include <atomic>

#include "card/plans.hpp"
#include "clblast.hpp"
#include "platform.hpp"
#include "programs.hpp"

namespace backplane::opencl {

class OpenclDevice final : public plugin::DeviceOf<OpenclDevice>, public card::Plans {
 public:
  explicit OpenclDevice(const PlatformDevice& device);
  ~OpenclDevice() override { release_clblast_programs(); }

  void info(bp_device_info& info) override;
  void memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override;
  std::unique_ptr<plugin::Buffer> allocate(std::uint64_t bytes) override;
  std::unique_ptr<plugin::Buffer> wrap(void* memory, std::uint64_t bytes) override;
  std::unique_ptr<plugin::Queue> create_queue() override;
  std::unique_ptr<plugin::Event> create_event() override;
  // The settings of card::Plans, and:
  // "family": "gpu" or "cpu", the kernels to use, instead of those for the device's class.
  // "product": "clblast" or "own", who multiplies matrices for kernels of the GPU's family.
  void set_option(const std::string& key, const std::string& value) override;
  void* native() override { return device_.device; }  // cl_device_id; a queue knows its context

  using card::Plans::plan;
  std::unique_ptr<plugin::Plan> plan(const op::Conv2d& op, plugin::Request& request);
  std::unique_ptr<plugin::Plan> plan(const op::Conv2dBackwardData& op, plugin::Request& request);
  std::unique_ptr<plugin::Plan> plan(const op::Conv2dBackwardWeight& op, plugin::Request& request);

 private:
  void set_family(const std::string& value);
  void set_product(const std::string& value);
  [[nodiscard]] std::unique_ptr<plugin::Plan> create_part(const bp_op& op,
                                                          plugin::Request& request) override {
    return create_plan(op, request);
  }
  [[nodiscard]] std::shared_ptr<const card::Product> product(const card::Check& check,
                                                             plugin::Request& request,
                                                             const card::Matrix& y,
                                                             const card::Matrix& a,
                                                             const card::Matrix& b) const override;

  PlatformDevice device_;
  Context context_;
  Programs programs_;
  std::atomic<bool> uses_clblast_;
};

}  // namespace backplane::opencl
