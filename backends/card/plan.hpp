// A plan of a card: what it demands of a run's memory, and a body that enqueues.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "queue.hpp"
#include "shape.hpp"

namespace backplane::card {

// One run: its queue and its memory.
class Call {
 public:
  Call(Queue& queue, const bp_run& run) : queue(queue), sequence(run.sequence), run_(run) {}

  // Nothing for an optional argument that is absent.
  [[nodiscard]] Memory input(std::size_t i) const {
    return i < run_.input_count ? memory_of(run_.inputs[i]) : Memory{};
  }
  [[nodiscard]] Memory output(std::size_t i) const {
    return i < run_.output_count ? memory_of(run_.outputs[i]) : Memory{};
  }
  [[nodiscard]] Memory workspace(std::uint64_t offset = 0) const {
    Memory memory = memory_of(run_.workspace);
    memory.offset += static_cast<i64>(offset);
    return memory;
  }
  template <class Op>
  [[nodiscard]] typename Op::Scalars scalars() const {
    return plugin::read_scalars<Op>(run_);
  }

  Queue& queue;
  const std::uint64_t sequence;

 private:
  const bp_run& run_;
};

class KernelPlan : public plugin::Plan {
 public:
  KernelPlan(const op::Row& row, const plugin::Request& request);
  void run(plugin::Queue& queue, const bp_run& run) override;
  virtual void enqueue(const Call& call) const = 0;

 private:
  const op::Row& row_;
  std::vector<std::uint64_t> input_bytes_, output_bytes_;
  std::uint64_t workspace_bytes_;
};

// A plan whose runs are body(call). `request` has all its answers by now.
template <class Op, class Body>
[[nodiscard]] std::unique_ptr<plugin::Plan> make_plan(plugin::Request& request,
                                                      std::string implementation, Body body) {
  class PlanOf final : public KernelPlan {
   public:
    PlanOf(const plugin::Request& request, Body body)
        : KernelPlan(op::row_of<Op>, request), body_(std::move(body)) {}
    void enqueue(const Call& call) const override { body_(call); }

   private:
    Body body_;
  };
  request.implementation = std::move(implementation);
  return std::make_unique<PlanOf>(request, std::move(body));
}

// Takes so many bytes of the workspace, aligned for any use; returns where they begin.
std::uint64_t reserve(plugin::Request& request, std::uint64_t bytes);

}  // namespace backplane::card
