// Marks in a stream, with times.
#pragma once

#include "queue.hpp"

namespace backplane::cuda {

class CudaEvent final : public plugin::Event {
 public:
  explicit CudaEvent(int ordinal);

  void record(plugin::Queue& queue) override;
  void wait(plugin::Queue& queue) override;
  bool done() override;
  void synchronize() override;
  double seconds_until(plugin::Event& last) override;
  void* native() override { return event_.get(); }

 private:
  int ordinal_;
  EventHandle event_;
};

}  // namespace backplane::cuda
