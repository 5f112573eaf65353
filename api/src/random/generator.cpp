// The generator of the process: seed, step, and the number of the next random call.
#include "random/generator.hpp"

#include <mutex>

#include "backplane/random.hpp"
#include "check.hpp"
#include "compile/recording.hpp"

namespace backplane {
namespace {

std::mutex mutex;
GeneratorState state;

// What a step sets by itself would not be set when it is repeated.
void reject_while_recording(const char* what) {
  if (detail::current_recording() == nullptr) return;
  detail::reject(
      "{}: not in a step that compile() records, since it isn't repeated; call it before"
      " the step",
      what);
}

}  // namespace

namespace detail {

op::PhiloxScalars next_draw() {
  const std::scoped_lock lock(mutex);
  return {static_cast<std::uint32_t>(state.seed), static_cast<std::uint32_t>(state.seed >> 32),
          state.site++, state.step, state.first_sample};
}

}  // namespace detail

void manual_seed(std::uint64_t seed) {
  set_generator_state({.seed = seed});
}

void begin_step(std::uint32_t step, std::uint32_t first_sample) {
  reject_while_recording("begin_step");
  const std::scoped_lock lock(mutex);
  state.step = step + 1;  // draws outside of steps, such as initial weights, have step 0
  state.first_sample = first_sample;
  state.site = 0;
}

GeneratorState generator_state() {
  const std::scoped_lock lock(mutex);
  return state;
}

void set_generator_state(const GeneratorState& wanted) {
  reject_while_recording("set_generator_state");
  const std::scoped_lock lock(mutex);
  state = wanted;
}

}  // namespace backplane
