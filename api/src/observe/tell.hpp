// How dispatch and transfers tell the observers of this thread.
#pragma once

#include <vector>

#include "backplane/observe/observer.hpp"

namespace backplane::detail {

// Empty while an observer is being told, so that its own work stays unobserved.
[[nodiscard]] std::vector<Observer*>& observers() noexcept;

void tell_before(const Operation& operation, std::span<const Tensor> inputs);
void tell_operation(const OperationEvent& event);
void tell_transfer(const TransferEvent& event);

}  // namespace backplane::detail
