// The factors of schedules, and their application to an optimizer.
#include "backplane/optim/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "check.hpp"
#include "compile/recording.hpp"

namespace backplane {
namespace {

void check_steps(const char* name, std::int64_t steps) {
  if (steps < 1) detail::reject("{}: steps must be above 0, got {}", name, steps);
}

void check_factor(const char* name, const char* parameter, double factor) {
  if (std::isfinite(factor) && factor >= 0) return;
  detail::reject("{}: {} must be finite and not negative, got {}", name, parameter, factor);
}

// Along half a cosine, by a share of the way in [0, 1].
double eased(double from, double to, double share) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

double share_of(std::int64_t step, std::int64_t steps) {
  return std::min(1.0, static_cast<double>(step) / static_cast<double>(steps));
}

}  // namespace

Schedule step_decay(std::int64_t every, double factor) {
  check_steps("step_decay", every);
  check_factor("step_decay", "factor", factor);
  return [=](std::int64_t step) { return std::pow(factor, static_cast<double>(step / every)); };
}

Schedule multi_step_decay(std::vector<std::int64_t> milestones, double factor) {
  check_factor("multi_step_decay", "factor", factor);
  const auto late = std::ranges::adjacent_find(milestones, std::ranges::greater_equal());
  if (late != milestones.end()) {
    detail::reject("multi_step_decay: milestones must rise, got {} before {}", *late,
                   *std::next(late));
  }
  return [milestones = std::move(milestones), factor](std::int64_t step) {
    const auto passed = std::ranges::upper_bound(milestones, step) - milestones.begin();
    return std::pow(factor, static_cast<double>(passed));
  };
}

Schedule cosine_decay(std::int64_t steps, double last) {
  check_steps("cosine_decay", steps);
  check_factor("cosine_decay", "last", last);
  return [=](std::int64_t step) { return eased(1, last, share_of(step, steps)); };
}

Schedule linear_warmup(std::int64_t steps, double first) {
  check_steps("linear_warmup", steps);
  check_factor("linear_warmup", "first", first);
  return [=](std::int64_t step) { return first + (1 - first) * share_of(step, steps); };
}

Schedule one_cycle(std::int64_t steps, const OneCycleOptions& options) {
  check_steps("one_cycle", steps);
  check_factor("one_cycle", "first", options.first);
  check_factor("one_cycle", "last", options.last);
  if (!(options.warmup_share > 0 && options.warmup_share < 1)) {
    detail::reject("one_cycle: warmup_share must be between 0 and 1, got {}", options.warmup_share);
  }
  return [=](std::int64_t step) {
    const double all = static_cast<double>(steps), peak = options.warmup_share * all;
    const double now = std::min(static_cast<double>(step), all);
    if (now < peak) return eased(options.first, 1, now / peak);
    return eased(1, options.last, (now - peak) / (all - peak));
  };
}

Schedule chain(std::vector<SchedulePart> parts) {
  if (parts.empty()) detail::reject("chain: there must be a schedule, got none");
  for (const SchedulePart& part : parts) {
    if (!part.schedule) detail::reject("chain: a schedule is empty");
    check_steps("chain", part.steps);
  }
  return [parts = std::move(parts)](std::int64_t step) {
    auto part = parts.begin();
    for (; std::next(part) != parts.end() && step >= part->steps; ++part) step -= part->steps;
    return part->schedule(step);
  };
}

Schedule product(std::vector<Schedule> schedules) {
  for (const Schedule& schedule : schedules) {
    if (!schedule) detail::reject("product: a schedule is empty");
  }
  return [schedules = std::move(schedules)](std::int64_t step) {
    double factor = 1;
    for (const Schedule& schedule : schedules) factor *= schedule(step);
    return factor;
  };
}

Scheduler::Scheduler(Optimizer& optimizer, Schedule schedule)
    : optimizer_(optimizer), schedule_(std::move(schedule)) {
  if (!schedule_) detail::reject("Scheduler: the schedule is empty");
  for (std::size_t group = 0; group < optimizer.group_count(); ++group) {
    base_rates_.push_back(optimizer.learning_rate(group));
  }
  set_step(0);
}

void Scheduler::step() {
  set_step(step_ + 1);
  if (detail::Recording* recording = detail::current_recording()) {
    recording->repeat([this] { set_step(step_ + 1); });
  }
}

void Scheduler::set_step(std::int64_t step) {
  if (step < 0) detail::reject("Scheduler: a step must not be negative, got {}", step);
  const double factor = schedule_(step);
  for (std::size_t group = 0; group < base_rates_.size(); ++group) {
    optimizer_.set_learning_rate(group, static_cast<float>(base_rates_[group] * factor));
  }
  step_ = step;
}

}  // namespace backplane
