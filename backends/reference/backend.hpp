// The reference device: what every operation of ops.hpp means, in plain loops over doubles.
#pragma once

#include <memory>

#include "backplane/plugin/host_backend.hpp"
#include "queue.hpp"

namespace backplane::reference {

class ReferenceDevice final : public plugin::HostDevice<ReferenceDevice> {
 public:
  // With a scheduler, work is delayed and reordered; without one (null) it runs at once.
  explicit ReferenceDevice(std::shared_ptr<Scheduler> scheduler)
      : scheduler_(std::move(scheduler)) {}

  void info(bp_device_info& info) override;
  std::unique_ptr<plugin::Queue> create_queue() override;
  std::unique_ptr<plugin::Event> create_event() override;

  // One for each row of ops.hpp, defined in the file of the operation's name; a gradient stands
  // beside what it is the gradient of. A row without its definition does not link.
#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic) \
  std::unique_ptr<plugin::Plan> plan(const op::Op&, plugin::Request&);
  BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

 private:
  std::shared_ptr<Scheduler> scheduler_;
};

}  // namespace backplane::reference
