// Observers: see every operation and transfer of this thread as it is dispatched.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backplane/operation.hpp"
#include "backplane/stream.hpp"
#include "backplane/tensor.hpp"

namespace backplane {

// One dispatched operation, after it was enqueued. In-place operations have outputs that share
// memory with inputs. References are valid during the call only; handles may be kept.
struct OperationEvent {
  const Operation& operation;
  std::span<const Tensor> inputs, outputs;
  Stream stream;
  std::string_view implementation;
  std::uint64_t sequence;  // number of the operation on its stream
  std::uint32_t adds_to;   // bit i: output i was added to, not overwritten
};

struct TransferEvent {
  enum class Direction { to_device, from_device, between_devices };
  Direction direction;
  Device device;  // the one that isn't the host; the source when between devices
  std::uint64_t bytes;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // Before the operation is enqueued: the last chance to see what an in-place one overwrites.
  virtual void before_operation(const Operation&, std::span<const Tensor> /*inputs*/) {}
  virtual void on_operation(const OperationEvent&) {}
  virtual void on_transfer(const TransferEvent&) {}
};

// Tells `observer` everything while it lives. What an observer itself dispatches isn't told.
class ObserverGuard {
 public:
  explicit ObserverGuard(Observer& observer);
  ~ObserverGuard();
  ObserverGuard(const ObserverGuard&) = delete;
  ObserverGuard& operator=(const ObserverGuard&) = delete;
};

}  // namespace backplane
