// The plug-in's table in the hands of a test: queues, tensors, plans and sequences without the
// core.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backplane/plugin/abi.h"
#include "backplane/plugin/ops.hpp"

namespace backplane::sim {

// The table of libbackplane-cuda.so, which must be beside libbackplane.so.
[[nodiscard]] const bp_backend& plugin_table();

// A queue on the first card, and the card itself.
class PluginQueue {
 public:
  PluginQueue();
  ~PluginQueue();
  PluginQueue(const PluginQueue&) = delete;
  PluginQueue& operator=(const PluginQueue&) = delete;

  [[nodiscard]] const bp_backend& table() const { return table_; }
  [[nodiscard]] bp_device* device() const { return device_; }
  [[nodiscard]] bp_queue* get() const { return queue_; }
  // What a call that had to fail said; "no error" if it didn't.
  [[nodiscard]] std::string error_of(bp_status status) const;

 private:
  const bp_backend& table_ = plugin_table();
  bp_device* device_ = nullptr;
  bp_queue* queue_ = nullptr;
};

// A dense vector of floats.
class PluginTensor {
 public:
  PluginTensor(const PluginQueue& queue, const std::vector<float>& values);
  ~PluginTensor();
  PluginTensor(const PluginTensor&) = delete;
  PluginTensor& operator=(const PluginTensor&) = delete;

  void write(const std::vector<float>& values);
  [[nodiscard]] std::vector<float> values() const;
  [[nodiscard]] bp_arg argument() const { return {buffer_, 0}; }
  [[nodiscard]] bp_tensor_desc desc() const;

 private:
  const PluginQueue& queue_;
  std::size_t count_;
  bp_buffer* buffer_ = nullptr;
};

using PluginTensors = std::vector<const PluginTensor*>;

class PluginPlan {
 public:
  PluginPlan(const PluginQueue& queue, const PluginTensors& inputs, const PluginTensors& outputs,
             const op::Row& row, const void* params, std::size_t bytes);
  ~PluginPlan();
  PluginPlan(const PluginPlan&) = delete;
  PluginPlan& operator=(const PluginPlan&) = delete;

  [[nodiscard]] bp_status try_run(const PluginQueue& queue, const PluginTensors& inputs,
                                  const PluginTensors& outputs, const void* scalars = nullptr,
                                  std::size_t bytes = 0) const;
  void run(const PluginQueue& queue, const PluginTensors& inputs, const PluginTensors& outputs,
           const void* scalars = nullptr, std::size_t bytes = 0) const {
    REQUIRE(try_run(queue, inputs, outputs, scalars, bytes) == BP_OK);
  }

 private:
  const bp_backend& table_;
  bp_plan* plan_ = nullptr;
};

template <class Op>
class PlanOf : public PluginPlan {
 public:
  PlanOf(const PluginQueue& queue, const PluginTensors& inputs, const PluginTensors& outputs,
         const Op& op = {})
      : PluginPlan(queue, inputs, outputs, op::row_of<Op>, &op,
                   std::is_empty_v<Op> ? 0 : sizeof op) {}
};

// What `body` enqueues, noted.
class PluginSequence {
 public:
  template <class Body>
  PluginSequence(const PluginQueue& queue, Body&& body) : queue_(queue) {
    REQUIRE(queue.table().sequence_begin(queue.get()) == BP_OK);
    body();
    REQUIRE(queue.table().sequence_end(queue.get(), &sequence_) == BP_OK);
  }
  ~PluginSequence() { queue_.table().sequence_destroy(sequence_); }
  PluginSequence(const PluginSequence&) = delete;
  PluginSequence& operator=(const PluginSequence&) = delete;

  void run(const std::vector<bp_scalars>& scalars) const;

 private:
  const PluginQueue& queue_;
  bp_sequence* sequence_ = nullptr;
};

}  // namespace backplane::sim
