// A plan is what an operation's file found out, bound to the code that runs it.
#pragma once

#include <memory>
#include <utility>

#include "backplane/plugin/host_backend.hpp"

namespace backplane::onednn {

// A plan whose runs are body(HostRun). The body is const: several threads may run it at once.
template <class Body>
[[nodiscard]] std::unique_ptr<plugin::Plan> make_plan(const plugin::Request& request, Body body) {
  class PlanOf final : public plugin::HostPlan {
   public:
    PlanOf(const plugin::Request& request, Body body)
        : inputs_(request.inputs.size()),
          outputs_(request.outputs.size()),
          body_(std::move(body)) {}
    void compute(const plugin::HostRun& run) override {
      if (run.run.input_count != inputs_ || run.run.output_count != outputs_) {
        throw plugin::invalid("a run must bring as many arguments as its plan was made for");
      }
      std::as_const(body_)(run);
    }

   private:
    std::size_t inputs_, outputs_;
    Body body_;
  };
  return std::make_unique<PlanOf>(request, std::move(body));
}

}  // namespace backplane::onednn
