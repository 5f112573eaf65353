// The observers of each thread.
#include "backplane/observe/observer.hpp"

#include <utility>

#include "observe/tell.hpp"

namespace backplane {
namespace detail {

std::vector<Observer*>& observers() noexcept {
  thread_local std::vector<Observer*> list;
  return list;
}

namespace {

// Sets the list aside while it is told, and puts it back whatever happens.
template <class Tell>
void tell_all(Tell&& tell) {
  if (observers().empty()) return;
  struct Aside {
    std::vector<Observer*> list = std::exchange(observers(), {});
    ~Aside() { observers() = std::move(list); }
  } const aside;
  for (Observer* observer : aside.list) tell(*observer);
}

}  // namespace

void tell_before(const Operation& operation, std::span<const Tensor> inputs) {
  tell_all([&](Observer& observer) { observer.before_operation(operation, inputs); });
}

void tell_operation(const OperationEvent& event) {
  tell_all([&](Observer& observer) { observer.on_operation(event); });
}

void tell_transfer(const TransferEvent& event) {
  tell_all([&](Observer& observer) { observer.on_transfer(event); });
}

}  // namespace detail

ObserverGuard::ObserverGuard(Observer& observer) { detail::observers().push_back(&observer); }
ObserverGuard::~ObserverGuard() { detail::observers().pop_back(); }

}  // namespace backplane
