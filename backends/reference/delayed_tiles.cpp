// A tiled run that is put off: everything of the caller's that may be gone by then is copied.
#include <memory>
#include <utility>
#include <vector>

#include "backplane/plugin/tiled_run.hpp"
#include "queue.hpp"

namespace backplane::reference {
namespace {

class TiledCall {
 public:
  explicit TiledCall(const bp_tiled_run& run)
      : run_(run),
        steps_(run.steps, run.steps + run.step_count),
        sums_(run.sums, run.sums + run.sum_count) {
    for (bp_tile_step& step : steps_) {
      plans_.push_back(plugin::get(step.plan));
      step.inputs = keep(arguments_, step.inputs, step.input_count);
      step.outputs = keep(arguments_, step.outputs, step.output_count);
      step.scalars = keep(scalars_, static_cast<const char*>(step.scalars), step.scalar_bytes);
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      steps_[i].plan = reinterpret_cast<bp_plan*>(&plans_[i]);
    }
    run_.steps = steps_.data();
    run_.sums = sums_.data();
    run_.seconds = nullptr;
  }
  TiledCall(const TiledCall&) = delete;
  TiledCall& operator=(const TiledCall&) = delete;

  void compute(plugin::FaultRecord& faults) const { plugin::run_tiles(run_, faults, in_turn); }

 private:
  template <class T>
  static const T* keep(std::vector<std::vector<T>>& lists, const T* from, std::uint32_t count) {
    return lists.emplace_back(from, from + count).data();
  }

  bp_tiled_run run_;
  std::vector<bp_tile_step> steps_;
  std::vector<bp_tile_sum> sums_;
  std::vector<std::shared_ptr<plugin::Plan>> plans_;
  std::vector<std::vector<bp_tile_arg>> arguments_;
  std::vector<std::vector<char>> scalars_;
};

}  // namespace

void DelayedQueue::run_tiled(const bp_tiled_run& run) {
  submit([this, call = std::make_shared<TiledCall>(run)] { call->compute(faults); });
}

}  // namespace backplane::reference
