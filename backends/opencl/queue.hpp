// A queue is an in-order command queue with its kernels, its staging memory and its error record.
#pragma once

#include <vector>

#include "card/queue.hpp"
#include "programs.hpp"
#include "staging.hpp"

namespace backplane::opencl {

class OpenclQueue final : public card::Queue {
 public:
  // Both must outlive the queue.
  OpenclQueue(cl_context context, Programs& programs);
  ~OpenclQueue() override;

  void upload(bp_arg target, const void* source, std::uint64_t bytes) override;
  void download(bp_arg source, void* target, std::uint64_t bytes) override;
  void copy(bp_arg source, bp_arg target, std::uint64_t bytes) override;
  void synchronize() override;
  bool idle() override;
  bp_error_record error(bool clear) override;
  void* native() override { return queue_.get(); }

  void launch(std::uint32_t kernel, card::Groups groups,
              std::span<const card::Value> values) override;
  void copy_memory(const card::Memory& target, const card::Memory& source,
                   std::uint64_t bytes) override;
  [[nodiscard]] card::Memory record() const override { return {record_.get(), 0}; }
  // The record itself: who asks for the mirror may write a fault, so the host reads it back.
  [[nodiscard]] card::Memory mirror() const override;

  [[nodiscard]] cl_command_queue handle() const { return queue_.get(); }
  // To be told of each command: it flushes now and then, and the queue is no longer idle.
  void enqueued();

 private:
  const Compiled& kernel(std::uint32_t number);
  void clear_record();
  void mark();

  Programs& programs_;
  CommandQueue queue_;
  Staging staging_;
  Mem record_;
  std::vector<Compiled> kernels_;  // by number; arguments belong to a kernel, hence to one queue
  Fault fault_{};                  // where the record is read back to
  bp_error_record last_{};         // as of the last synchronisation
  mutable bool may_have_fault_ = false;
  EventHandle marker_;  // behind all commands so far; none if there may be some behind it
  bool busy_ = false;   // as far as the host knows
  int unflushed_ = 0;
};

}  // namespace backplane::opencl
