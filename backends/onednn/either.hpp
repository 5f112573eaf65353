// Two plans of one operation, of which each run takes the one that suits its operands.
#pragma once

#include <functional>
#include <memory>

#include "backend.hpp"
#include "plan.hpp"

namespace backplane::onednn {

// Runs `first` where takes_first(run), else `second`. Both are made for the request's tensors as
// they are: inputs, and outputs that aren't open, keep their layouts.
using TakesFirst = std::function<bool(const plugin::HostRun&)>;
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_either(plugin::Request& request,
                                                        const MakePlan& first,
                                                        const MakePlan& second,
                                                        TakesFirst takes_first);

// A plan that leaves the request's layouts as they are, whatever make() wants: it copies.
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_as_it_lies(OnednnDevice& device,
                                                            plugin::Request& request,
                                                            const MakePlan& make);

}  // namespace backplane::onednn
