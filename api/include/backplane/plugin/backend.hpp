// The C++ kit for back-end authors: derive from these classes, write `plan` overloads, and
// BACKPLANE_BACKEND(MyBackend) makes the C table of abi.h. Exceptions never cross the border.
//
//   struct MyDevice : plugin::DeviceOf<MyDevice> {
//     std::unique_ptr<plugin::Plan> plan(const op::Relu&, plugin::Request&);   // what it can do
//     ... memory and queues: the virtual functions of plugin::Device
//   };
//   struct MyBackend {
//     static constexpr const char* name = "mine";
//     static constexpr const char* version = "1.0";
//     static std::uint32_t device_count();
//     static plugin::Diagnosis diagnose();                       // asked when there is no device
//     static std::unique_ptr<plugin::Device> open(std::uint32_t index);
//   };
//   BACKPLANE_BACKEND(MyBackend)
//
// A CPU back end takes plugin/host_backend.hpp for memory and queues and writes plans only. What the
// table offers beyond the necessary is said by a member `static constexpr plugin::Offers offers`.
#pragma once

#include <concepts>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "backplane/plugin/abi.h"
#include "backplane/plugin/ops.hpp"

namespace backplane::plugin {

// Thrown anywhere in a back end; arrives at the caller as an Error of the same kind.
struct Failure : std::runtime_error {
  Failure(bp_status code, const std::string& text) : std::runtime_error(text), status(code) {}
  bp_status status;
};

[[nodiscard]] inline Failure unsupported(const std::string& text) {
  return {BP_UNSUPPORTED, text};
}
[[nodiscard]] inline Failure invalid(const std::string& text) { return {BP_INVALID, text}; }

// Why there is no device, and what the reader can do about it. Empty: nothing is wrong.
struct Diagnosis {
  std::string reason, repair;
};

// The optional slots of the table that a back end fills: it overrides what the comment names.
struct Offers {
  bool peer_copies = false;    // Queue::copy_peer
  bool monitor = false;        // Device::monitor
  bool pinned_memory = false;  // Device::allocate_pinned, Queue::upload_pinned, B::free_pinned
  bool sequences = false;      // Queue::begin_sequence, end_sequence; Sequence
  bool preparation = false;    // Plan::prepare
  bool tiled_runs = false;     // Queue::run_tiled
};

class Plan;
class Queue;
class Sequence;

class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual void* native() = 0;
};

class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Queue& queue) = 0;
  virtual void wait(Queue& queue) = 0;  // later work on `queue` waits
  [[nodiscard]] virtual bool done() = 0;
  virtual void synchronize() = 0;
  [[nodiscard]] virtual double seconds_until(Event& last) = 0;
  [[nodiscard]] virtual void* native() { return nullptr; }
};

// One in-order line of work. Destroying it waits for what is left.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void upload(bp_arg target, const void* source, std::uint64_t bytes) = 0;
  virtual void download(bp_arg source, void* target, std::uint64_t bytes) = 0;
  virtual void copy(bp_arg source, bp_arg target, std::uint64_t bytes) = 0;
  virtual void synchronize() = 0;
  [[nodiscard]] virtual bool idle() = 0;
  [[nodiscard]] virtual bp_error_record error(bool clear) = 0;
  [[nodiscard]] virtual void* native() { return nullptr; }
  // Every run of a plan comes this way; a queue that records sequences notes it.
  virtual void run(Plan& plan, const bp_run& run);

  virtual void copy_peer(bp_arg, bp_arg, std::uint64_t) {
    throw unsupported("this device copies nothing from another one");
  }
  virtual void upload_pinned(bp_arg, const void*, std::uint64_t) {
    throw unsupported("this device has no pinned memory");
  }
  virtual void prepare(Plan& plan, const bp_run& run);
  virtual void run_tiled(const bp_tiled_run&) { throw unsupported("this device runs no tiles"); }
  virtual void begin_sequence() { throw unsupported("this device records no sequences"); }
  [[nodiscard]] virtual std::unique_ptr<Sequence> end_sequence();
};

// One operation bound to shapes and layouts. Immutable, so that `run` may be called from several
// threads with different queues; it may be destroyed while its runs are still queued, for which
// shared_from_this() keeps it.
class Plan : public std::enable_shared_from_this<Plan> {
 public:
  virtual ~Plan() = default;
  virtual void run(Queue& queue, const bp_run& run) = 0;
  // Puts inputs in the plan's own order, into run.prepared; for plans that asked for such memory.
  virtual void prepare(Queue&, const bp_run&) { throw invalid("this plan prepares nothing"); }
};

// Runs of plans that were noted on a queue; destroyed, it lets those that are queued finish.
class Sequence {
 public:
  virtual ~Sequence() = default;
  virtual void run(Queue& queue, std::span<const bp_scalars> scalars) = 0;
};

inline void Queue::run(Plan& plan, const bp_run& run) { plan.run(*this, run); }
inline void Queue::prepare(Plan& plan, const bp_run& run) { plan.prepare(*this, run); }
inline std::unique_ptr<Sequence> Queue::end_sequence() {
  throw unsupported("this device records no sequences");
}

// The question a plan answers. Outputs with layout ANY are filled in by `plan`; inputs may be
// rewritten to the layout the kernel wants.
struct Request {
  explicit Request(bp_plan_request& request)
      : inputs(request.inputs, request.input_count),
        outputs(request.outputs, request.output_count),
        strict(request.numerics == BP_NUMERICS_STRICT),
        threads(request.threads),
        adds_to(request.adds_to),
        prepares(request.prepares) {}
  // Whether the caller keeps that input, so that the plan may put it in its own order once.
  [[nodiscard]] bool keeps(std::size_t input) const { return (prepares >> input & 1) != 0; }

  std::span<bp_tensor_desc> inputs, outputs;
  bool strict;
  std::uint32_t threads, adds_to, prepares;
  std::uint64_t workspace_bytes = 0, prepared_bytes = 0;
  std::string implementation;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual void info(bp_device_info& info) = 0;
  virtual void memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate(std::uint64_t) {
    throw unsupported("this device uses host memory; wrap it");
  }
  [[nodiscard]] virtual std::unique_ptr<Buffer> wrap(void* memory, std::uint64_t bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<Queue> create_queue() = 0;
  [[nodiscard]] virtual std::unique_ptr<Event> create_event() = 0;
  [[nodiscard]] virtual std::unique_ptr<Plan> create_plan(const bp_op& op, Request& request) = 0;
  virtual void layout_info(const bp_tensor_desc&, bp_layout_info&) {
    throw unsupported("this device has no private layouts");
  }
  virtual void monitor(bp_monitor&) { throw unsupported("this device doesn't measure itself"); }
  [[nodiscard]] virtual void* allocate_pinned(std::uint64_t) {
    throw unsupported("this device has no pinned memory");
  }
  virtual void set_option(const std::string& key, const std::string&) {
    throw Failure(BP_NOT_FOUND, "no option '" + key + "'");
  }
  [[nodiscard]] virtual void* native() { return nullptr; }
};

template <class D, class Op>
concept Implements = requires(D& device, const Op& op, Request& request) {
  { device.plan(op, request) } -> std::convertible_to<std::unique_ptr<Plan>>;
};

// A shorter caller's missing fields read as zero; a longer caller's unknown fields must be zero.
template <class Op>
Op read_params(const bp_op& wire, const char* name) {
  static_assert(std::is_trivially_copyable_v<Op>);
  Op op{};
  constexpr std::size_t known = std::is_empty_v<Op> ? 0 : sizeof(Op);
  const auto* bytes = static_cast<const unsigned char*>(wire.params);
  for (std::size_t i = known; i < wire.size; ++i) {
    if (bytes[i] != 0) {
      throw unsupported(std::string(name) + ": a parameter is set that is newer than this back end");
    }
  }
  if (wire.size != 0) std::memcpy(static_cast<void*>(&op), bytes, std::min<std::size_t>(wire.size, known));
  return op;
}

// The scalars of one run, copied out of the caller's memory.
template <class Op>
typename Op::Scalars read_scalars(const bp_run& run) {
  typename Op::Scalars scalars{};
  if (run.scalar_bytes != sizeof scalars) {
    throw invalid(std::string(op::row_of<Op>.name) + ": a run brings " +
                  std::to_string(run.scalar_bytes) + " bytes of scalars, expected " +
                  std::to_string(sizeof scalars));
  }
  std::memcpy(&scalars, run.scalars, sizeof scalars);
  return scalars;
}

// Finds the overload for each row; an operation without one declines by itself. A back end that
// knows named operations (ids from BP_FIRST_NAMED_ID) overrides plan_named.
template <class D>
class DeviceOf : public Device {
 public:
  std::unique_ptr<Plan> create_plan(const bp_op& wire, Request& request) override {
    switch (wire.id) {
#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic)                          \
  case id:                                                                                   \
    if constexpr (Implements<D, op::Op>) {                                                   \
      return static_cast<D*>(this)->plan(read_params<op::Op>(wire, #name), request);         \
    } else {                                                                                 \
      throw unsupported(#name ": not implemented");                                          \
    }
      BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
    }
    if (wire.id >= BP_FIRST_NAMED_ID && wire.name != nullptr) return plan_named(wire, request);
    throw unsupported("operation " + std::to_string(wire.id) + " is newer than this back end");
  }

  virtual std::unique_ptr<Plan> plan_named(const bp_op& wire, Request&) {
    throw unsupported(std::string(wire.name) + ": not implemented");
  }
};

}  // namespace backplane::plugin

#include "backplane/plugin/table.hpp"
