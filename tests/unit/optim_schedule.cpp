// Schedules: each one's factors at its corners, and what a scheduler does with them.
#include "backplane/optim/schedule.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "backplane/optim/sgd.hpp"

using namespace backplane;

TEST_CASE("schedule: decay by steps") {
  const Schedule decay = step_decay(10, 0.5);
  CHECK(decay(0) == 1);
  CHECK(decay(9) == 1);
  CHECK(decay(10) == 0.5);
  CHECK(decay(35) == 0.125);
  const Schedule milestones = multi_step_decay({3, 5}, 0.1);
  CHECK(milestones(2) == 1);
  CHECK(milestones(3) == doctest::Approx(0.1));
  CHECK(milestones(5) == doctest::Approx(0.01));
  CHECK(multi_step_decay({})(100) == 1);
}

TEST_CASE("schedule: cosine, warm-up and one cycle") {
  const Schedule cosine = cosine_decay(100, 0.2);
  CHECK(cosine(0) == 1);
  CHECK(cosine(50) == doctest::Approx(0.6));
  CHECK(cosine(100) == doctest::Approx(0.2));
  CHECK(cosine(1000) == doctest::Approx(0.2));
  const Schedule warmup = linear_warmup(4, 0.2);
  CHECK(warmup(0) == doctest::Approx(0.2));
  CHECK(warmup(2) == doctest::Approx(0.6));
  CHECK(warmup(4) == 1);
  CHECK(warmup(99) == 1);
  const Schedule cycle = one_cycle(100, {.warmup_share = 0.25, .first = 0.1, .last = 0.01});
  CHECK(cycle(0) == doctest::Approx(0.1));
  CHECK(cycle(25) == 1);
  CHECK(cycle(24) < 1);
  CHECK(cycle(26) < 1);
  CHECK(cycle(100) == doctest::Approx(0.01));
  CHECK(cycle(101) == doctest::Approx(0.01));
}

TEST_CASE("schedule: one after another, and all at once") {
  const Schedule both = chain({{linear_warmup(4), 4}, {step_decay(2, 0.5), 2}, {step_decay(9), 1}});
  CHECK(both(0) == 0);
  CHECK(both(3) == 0.75);
  CHECK(both(4) == 1);
  CHECK(both(6) == 1);
  CHECK(both(15) == doctest::Approx(0.1));
  CHECK(product({step_decay(1, 0.5), linear_warmup(4)})(2) == 0.125);
  CHECK(product({})(7) == 1);
}

TEST_CASE("schedule: each group keeps its share of the rate") {
  const Tensor a = ones({1}, {.requires_grad = true}), b = ones({1}, {.requires_grad = true});
  SGD sgd({{{a}, {.learning_rate = 1}}, {{b}, {.learning_rate = 0.5f}}});
  Scheduler scheduler(sgd, linear_warmup(4, 0.5));
  CHECK(sgd.learning_rate(0) == 0.5f);
  CHECK(sgd.learning_rate(1) == 0.25f);
  scheduler.step();
  scheduler.step();
  CHECK(scheduler.current_step() == 2);
  CHECK(sgd.learning_rate(0) == 0.75f);
  scheduler.set_step(4);
  CHECK(sgd.learning_rate(1) == 0.5f);
  CHECK_THROWS_WITH_AS(scheduler.set_step(-1), "Scheduler: a step must not be negative, got -1",
                       Error);
}

TEST_CASE("schedule: refusals") {
  CHECK_THROWS_WITH_AS(step_decay(0), "step_decay: steps must be above 0, got 0", Error);
  CHECK_THROWS_WITH_AS(step_decay(1, NAN),
                       "step_decay: factor must be finite and not negative, got nan", Error);
  CHECK_THROWS_WITH_AS(multi_step_decay({1, 3, 3}),
                       "multi_step_decay: milestones must rise, got 3 before 3", Error);
  CHECK_THROWS_WITH_AS(cosine_decay(10, -1),
                       "cosine_decay: last must be finite and not negative, got -1", Error);
  CHECK_THROWS_WITH_AS(linear_warmup(-1), "linear_warmup: steps must be above 0, got -1", Error);
  CHECK_THROWS_WITH_AS(one_cycle(10, {.warmup_share = 1}),
                       "one_cycle: warmup_share must be between 0 and 1, got 1", Error);
  CHECK_THROWS_WITH_AS(chain({}), "chain: there must be a schedule, got none", Error);
  CHECK_THROWS_WITH_AS(chain({{linear_warmup(1), 0}}), "chain: steps must be above 0, got 0",
                       Error);
  CHECK_THROWS_WITH_AS(product({Schedule()}), "product: a schedule is empty", Error);
}
