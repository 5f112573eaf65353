// Marks in a queue, with times.
#pragma once

#include "queue.hpp"

namespace backplane::opencl {

class OpenclEvent final : public plugin::Event {
 public:
  void record(plugin::Queue& queue) override;
  void wait(plugin::Queue& queue) override;
  bool done() override;
  void synchronize() override;
  double seconds_until(plugin::Event& last) override;
  void* native() override { return event_.get(); }  // none before the first record

 private:
  [[nodiscard]] cl_ulong nanoseconds() const;

  EventHandle event_;  // each record makes a new one: an OpenCL event happens once
};

}  // namespace backplane::opencl
