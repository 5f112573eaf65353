// What is no operation: order between streams, copies between devices, errors that kernels leave.
#include <fmt/format.h>

#include <exception>
#include <numeric>
#include <thread>

#include "backplane/functional.hpp"
#include "backplane/plan.hpp"
#include "backplane/stream.hpp"
#include "data.hpp"
#include "execute.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

const Shape line_shape{4099};

Tensor counting(double start) {
  std::vector<double> numbers(static_cast<std::size_t>(line_shape.count()));
  std::iota(numbers.begin(), numbers.end(), start);
  return host_tensor(numbers, line_shape, DType::f32);
}

Tensor zeros_like_line(Device device) {
  return zeros(line_shape, {.device = device});
}

void affine(const Tensor& x, double scale, double shift, const Tensor& y) {
  execute(Operation(op::Affine{}, {scale, shift}), {&x, 1}, {&y, 1});
}

std::string differs(const Tensor& result, const Tensor& expected, const char* what) {
  return host_values(result.cpu()) == host_values(expected) ? "" : what;
}

// One stream writes, another reads after an event, and the first overwrites after the second's:
// an order that holds by luck must hold many times.
std::string wait_orders_streams(Device device) {
  for (int round = 0; round < 16; ++round) {
    const Stream writer(device), reader(device);
    const Tensor x = counting(round).to(device), y = zeros_like_line(device);
    const Tensor z = zeros_like_line(device), junk = zeros_like_line(device);
    device.synchronize();
    Event written(device), read(device);
    {
      const StreamGuard guard(writer);
      for (int i = 0; i < 4; ++i) affine(x, 3, i, junk);
      affine(x, 2, 1, y);
      written.record(writer);
    }
    reader.wait(written);
    {
      const StreamGuard guard(reader);
      affine(y, 2, 0, z);
      read.record(reader);
    }
    writer.wait(read);
    {
      const StreamGuard guard(writer);
      affine(x, 0, -1, y);
    }
    reader.synchronize();
    writer.synchronize();
    const Tensor expected = run_operation(device, Operation(op::Affine{}, {4, 2}),
                                          {counting(round)}, {{DType::f32, line_shape}})
                                .front();
    if (const auto fault = differs(z, expected, "a stream didn't wait for another's event");
        !fault.empty()) {
      return fault;
    }
  }
  return "";
}

// What came before an event is there once the host has waited for it, on any stream.
std::string host_waits_for_event(Device device) {
  for (int round = 0; round < 16; ++round) {
    const Stream writer(device), reader(device);
    const Tensor x = counting(round).to(device), y = zeros_like_line(device);
    device.synchronize();
    Event written(device);
    {
      const StreamGuard guard(writer);
      for (int i = 0; i < 4; ++i) affine(x, 3, i, y);
      affine(x, 1, 0, y);
      written.record(writer);
    }
    written.synchronize();
    const StreamGuard guard(reader);
    if (const auto fault = differs(y, counting(round), "the host didn't wait for an event");
        !fault.empty()) {
      return fault;
    }
  }
  return "";
}

std::string events_report(Device device) {
  const Stream stream(device);
  Event first(device), last(device);
  if (!first.done()) return "an event that was never recorded counts as not reached";
  stream.wait(first);
  first.record(stream);
  const Tensor x = counting(0).to(device), y = zeros_like_line(device);
  device.synchronize();
  {
    const StreamGuard guard(stream);
    affine(x, 2, 1, y);
  }
  last.record(stream);
  last.synchronize();
  if (!first.done() || !last.done()) return "an event isn't done after its synchronisation";
  if (first.seconds_until(last) < 0) return "time runs backwards between two events";
  stream.synchronize();
  return stream.idle() ? "" : "a stream is busy after its synchronisation";
}

std::string copies_between_devices(Device device) {
  const Device reference = backplane::device("reference:0");
  const Tensor x = counting(5);
  const Tensor there = x.copy_to(device).copy_to(reference).copy_to(device);
  if (const auto fault = differs(there, x, "a copy over two devices changed something");
      !fault.empty()) {
    return fault;
  }
  const Tensor part = there.slice(0, 7, 4090, 3).copy_to(reference);
  return differs(part, x.slice(0, 7, 4090, 3).contiguous(), "a copied view has other elements");
}

// logits that favour class 0 of 3; `labels` as given.
void enqueue_cross_entropy(Device device, const std::vector<std::int64_t>& labels) {
  const auto samples = static_cast<std::int64_t>(labels.size());
  const Tensor logits = zeros({samples, 3}, {.device = device});
  const Tensor label_tensor = tensor(labels, {samples}, {.device = device});
  const std::vector<Tensor> src{logits, label_tensor};
  const std::vector<Tensor> dst{empty({}, {.device = device}),
                                empty({samples, 3}, {.device = device})};
  execute(Operation(op::CrossEntropy{Reduction::mean}), src, dst);
}

// log-probabilities of 3 classes; -1 is the label to ignore.
void enqueue_nll(Device device, const std::vector<std::int64_t>& labels) {
  const auto samples = static_cast<std::int64_t>(labels.size());
  const std::vector<Tensor> src{zeros({samples, 3}, {.device = device}),
                                tensor(labels, {samples}, {.device = device})};
  const std::vector<Tensor> dst{empty({}, {.device = device}), empty({}, {.device = device})};
  execute(Operation(op::Nll{{Reduction::mean, 1, -1, 0}}), src, dst);
}

// What the wait reports; empty: nothing.
std::string fault_of(const Stream& stream) {
  try {
    stream.synchronize();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_range) return error.what();
    throw;
  }
  return "";
}

// The label at 3 is out of range; what is at 1 is not.
std::string label_out_of_range(Device device, std::int64_t good,
                               void (*enqueue)(Device, const std::vector<std::int64_t>&)) {
  const Stream stream = Stream::current(device);
  stream.synchronize();
  enqueue(device, {0, good, 2, 7, 0, -2});
  enqueue(device, {9});
  const std::string text = fault_of(stream);
  if (text.empty()) return "a label out of range was not reported";
  if (text.find("sample 3 has 7") == std::string::npos) {
    return "the error must name the first bad sample (3) and its label (7), it is: " + text;
  }
  enqueue(device, {0, good, 2});
  const std::string next = fault_of(stream);
  return next.empty() ? "" : "the next run, whose labels are good, failed too: " + next;
}

// Takes one step on three parameters of 1; returns where they are.
Tensor enqueue_sgd(Device device) {
  const Tensor parameter = ones({3}, {.device = device});
  const std::vector<Tensor> src{parameter, ones({3}, {.device = device})};
  execute(Operation(op::SgdStep{1, 0, 0}, {0.5f, 0, 0, 0, 0}), src, {&parameter, 1});
  return parameter;
}

Tensor enqueue_adam(Device device) {
  const Tensor parameter = ones({3}, {.device = device});
  const std::vector<Tensor> src{parameter, ones({3}, {.device = device}),
                                zeros({3}, {.device = device}), zeros({3}, {.device = device})};
  const std::vector<Tensor> dst{parameter, src[2], src[3]};
  execute(Operation(op::AdamStep{1, 0}, {0.5f, 0.5f, 0.75f, 0, 0, 0.5f, 0.25f}), src, dst);
  return parameter;
}

Tensor enqueue_rmsprop(Device device) {
  const Tensor parameter = ones({3}, {.device = device});
  const std::vector<Tensor> src{parameter, ones({3}, {.device = device}),
                                zeros({3}, {.device = device})};
  const std::vector<Tensor> dst{parameter, src[2]};
  execute(Operation(op::RmspropStep{1, 0, 0}, {0.25f, 0.75f, 0, 0, 0}), src, dst);
  return parameter;
}

std::string step_is_skipped(Device device, Tensor (*enqueue)(Device)) {
  const Stream stream = Stream::current(device);
  stream.synchronize();
  enqueue_cross_entropy(device, {5});
  const Tensor kept = enqueue(device);
  if (fault_of(stream).empty()) return "a label out of range was not reported";
  if (host_values(kept.cpu()) != std::vector<double>(3, 1)) {
    return "a step changed parameters while the error record was set";
  }
  const Tensor moved = enqueue(device);
  stream.synchronize();
  return host_values(moved.cpu()) == std::vector<double>(3, 0.5)
             ? ""
             : "the step after the error was read did not do its work";
}

std::string one_plan_on_two_threads(Device device) {
  const Tensor x = counting(0).to(device);
  device.synchronize();
  const TensorSpec spec = spec_of(x);
  const Operation twice(op::Affine{}, {2, 1});
  const Plan plan(device, twice, {&spec, 1}, {&spec, 1});
  std::array<std::exception_ptr, 2> failures;
  std::array<Tensor, 2> results{zeros_like_line(device), zeros_like_line(device)};
  device.synchronize();
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      try {
        const Stream stream(device);
        const StreamGuard guard(stream);
        for (int i = 0; i < 50; ++i) plan.run(twice, {&x, 1}, {&results[t], 1});
        stream.synchronize();
      } catch (...) {
        failures[t] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  const Tensor expected =
      run_operation(device, twice, {counting(0)}, {{DType::f32, line_shape}}).front();
  const std::string first = differs(results[0], expected, "thread 0 has a wrong result");
  return first.empty() ? differs(results[1], expected, "thread 1 has a wrong result") : first;
}

}  // namespace

void machinery_rows(Suite& suite) {
  const auto check = [&](const char* name, std::function<std::string(Device)> body) {
    suite.check(DataClass::machinery, "machinery", name, std::move(body));
  };
  check("wait on an event orders two streams", wait_orders_streams);
  check("the host waits for an event", host_waits_for_event);
  check("events report what is reached", events_report);
  check("copies between devices", copies_between_devices);
  check("label out of range",
        [](Device device) { return label_out_of_range(device, 1, enqueue_cross_entropy); });
  check("label out of range in nll, beside one that is ignored",
        [](Device device) { return label_out_of_range(device, -1, enqueue_nll); });
  check("sgd_step is skipped while the error record is set",
        [](Device device) { return step_is_skipped(device, enqueue_sgd); });
  check("adam_step is skipped while the error record is set",
        [](Device device) { return step_is_skipped(device, enqueue_adam); });
  check("rmsprop_step is skipped while the error record is set",
        [](Device device) { return step_is_skipped(device, enqueue_rmsprop); });
  check("one plan on two threads", one_plan_on_two_threads);
}

}  // namespace conformance
