// A plan is what an operation's file found out, bound to the code that runs it.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "backplane/plugin/host_backend.hpp"

namespace backplane::onednn {

// Makes a plan of an operation for the tensors that it is given.
using MakePlan = std::function<std::unique_ptr<plugin::Plan>(plugin::Request&)>;

// The `pack` of plans that prepare nothing.
struct NothingToPack {
  void operator()(const plugin::HostRun&) const {
    throw plugin::invalid("this plan prepares nothing");
  }
};

// A plan whose runs are body(HostRun). The body is const: several threads may run it at once.
// pack(HostRun) fills the prepared memory, where the request says that there is some.
template <class Body, class Pack = NothingToPack>
[[nodiscard]] std::unique_ptr<plugin::Plan> make_plan(const plugin::Request& request, Body body,
                                                      Pack pack = {}) {
  class PlanOf final : public plugin::HostPlan {
   public:
    PlanOf(const plugin::Request& request, Body body, Pack pack)
        : inputs_(request.inputs.size()),
          outputs_(request.outputs.size()),
          body_(std::move(body)),
          pack_(std::move(pack)) {}
    void compute(const plugin::HostRun& run) override {
      if (run.run.input_count != inputs_ || run.run.output_count != outputs_) {
        throw plugin::invalid("a run must bring as many arguments as its plan was made for");
      }
      std::as_const(body_)(run);
    }
    void pack(const plugin::HostRun& run) override { std::as_const(pack_)(run); }

   private:
    std::size_t inputs_, outputs_;
    Body body_;
    [[no_unique_address]] Pack pack_;
  };
  return std::make_unique<PlanOf>(request, std::move(body), std::move(pack));
}

}  // namespace backplane::onednn
