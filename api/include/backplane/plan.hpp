// Plan: one operation bound to a device, shapes and layouts; made once, run often.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backplane/operation.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

namespace detail {
struct PlanEntry;
}

// Type, shape and layout of a tensor, without memory.
struct TensorSpec {
  DType dtype = DType::f32;
  Shape shape;
  Strides strides{};         // empty while shape isn't: row-major
  std::uint32_t layout = 0;  // 0 strided; 1 any, on outputs; from 2 on private to the device
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};
[[nodiscard]] TensorSpec spec_of(const Tensor& tensor);
// Memory for such a spec on a device: what a plan's outputs() ask for.
[[nodiscard]] Tensor empty(const TensorSpec& spec, Device device);

// Functions of functional.hpp find their plans in a cache; a program that runs one operation on
// fixed shapes can hold its own. Safe to run from several threads.
class Plan {
 public:
  struct Options {
    std::uint32_t adds_to = 0;  // bit i: output i is added to, where the row allows it
    // Bit i: input i stays as it is over many runs, so that prepare() may put it in the plan's own
    // order once; a device that doesn't prepare ignores it.
    std::uint32_t prepares = 0;
  };
  // Error(unsupported) if the device declines: the text has its reason. Numerics and threads are
  // those of the calling thread.
  Plan(Device device, const Operation& operation, std::span<const TensorSpec> inputs,
       std::span<const TensorSpec> outputs, Options options);
  Plan(Device device, const Operation& operation, std::span<const TensorSpec> inputs,
       std::span<const TensorSpec> outputs)
      : Plan(device, operation, inputs, outputs, Options{}) {}

  // Layouts that run() wants and gives.
  [[nodiscard]] const std::vector<TensorSpec>& inputs() const noexcept;
  [[nodiscard]] const std::vector<TensorSpec>& outputs() const noexcept;
  [[nodiscard]] std::uint64_t workspace_bytes() const noexcept;
  [[nodiscard]] const std::string& implementation() const noexcept;  // the kernel, for people

  // Enqueues the preparation of the kept inputs on the current stream; its memory goes to each run.
  // Undefined where the plan prepares nothing.
  [[nodiscard]] Tensor prepare(std::span<const Tensor> inputs) const;

  // Enqueues one execution on the current stream; `operation` brings this run's scalars. Tensors
  // must have exactly the plan's specs. No graph is recorded and no observer is told.
  void run(const Operation& operation, std::span<const Tensor> inputs,
           std::span<const Tensor> outputs, const Tensor& prepared = {}) const;

 private:
  Device device_;
  std::shared_ptr<detail::PlanEntry> entry_;
};

// The plans that functions keep for a device, least recently used first out.
struct PlanCacheStats {
  std::uint64_t hits = 0, misses = 0, evictions = 0;
  std::size_t size = 0, capacity = 0;
};
[[nodiscard]] PlanCacheStats plan_cache_stats(Device device);
void set_plan_cache_capacity(Device device, std::size_t plans);  // default 1024

}  // namespace backplane
