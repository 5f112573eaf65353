// Schedules: how the learning rate changes from step to step.
//
//   Scheduler scheduler(optimizer, chain({{linear_warmup(500), 500}, {cosine_decay(9500), 9500}}));
//   for (...) { optimizer.step(); scheduler.step(); }
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "backplane/optim/optimizer.hpp"

namespace backplane {

// The factor by which the optimizer's own learning rate is multiplied at step 0, 1, 2 ... Any
// function will do; those below are pure, and Error(invalid_argument) says what they don't take.
using Schedule = std::function<double(std::int64_t step)>;

// Multiplied by `factor` after every `every` steps.
[[nodiscard]] Schedule step_decay(std::int64_t every, double factor = 0.1);
// Multiplied by `factor` at each of these steps, which rise.
[[nodiscard]] Schedule multi_step_decay(std::vector<std::int64_t> milestones, double factor = 0.1);
// From 1 to `last` along half a cosine, in `steps` steps; `last` from then on (Loshchilov and
// Hutter 2017, without restarts).
[[nodiscard]] Schedule cosine_decay(std::int64_t steps, double last = 0);
// From `first` to 1 along a line, in `steps` steps; 1 from then on.
[[nodiscard]] Schedule linear_warmup(std::int64_t steps, double first = 0);

struct OneCycleOptions {
  double warmup_share = 0.3;  // of the steps, in which the rate rises
  double first = 1.0 / 25;    // the factor at step 0
  double last = 1e-4 / 25;    // the factor from step `steps` on
};
// Up to 1 and down to `last`, along half a cosine each (Smith and Topin 2019).
[[nodiscard]] Schedule one_cycle(std::int64_t steps, const OneCycleOptions& options = {});

struct SchedulePart {
  Schedule schedule;   // counts steps from 0 in each part
  std::int64_t steps;  // of this part; the last one goes on
};
// One after another.
[[nodiscard]] Schedule chain(std::vector<SchedulePart> parts);
// All at once: the product of their factors.
[[nodiscard]] Schedule product(std::vector<Schedule> schedules);

// Applies a schedule to an optimizer, which must outlive it: each group's learning rate is what it
// was when this was made, times the factor. The rates of step 0 are set at once.
class Scheduler {
 public:
  Scheduler(Optimizer& optimizer, Schedule schedule);

  // To be called after each step of the optimizer.
  void step();
  // To go on from a checkpoint. Error(invalid_argument) below 0.
  void set_step(std::int64_t step);
  [[nodiscard]] std::int64_t current_step() const noexcept { return step_; }

 private:
  Optimizer& optimizer_;
  Schedule schedule_;
  std::vector<float> base_rates_;  // of each group
  std::int64_t step_ = 0;
};

}  // namespace backplane
