// Streams and events on the reference, whose queues are delayed where
// BACKPLANE_REFERENCE_ASYNC is set.
#include "backplane/stream.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

TEST_CASE("stream: the default one is shared, a guard changes this thread's") {
  const Stream common = Stream::current(reference());
  CHECK(common.device() == reference());
  CHECK(Stream::current(reference()) == common);
  const Stream own(reference());
  CHECK(own != common);
  {
    const StreamGuard guard(own);
    CHECK(Stream::current(reference()) == own);
    std::thread([&] { CHECK(Stream::current(reference()) == common); }).join();
  }
  CHECK(Stream::current(reference()) == common);
}

TEST_CASE("stream: the host has none") {
  CHECK(error_of([] { return Stream(Device::host()); }) ==
        "invalid_argument: stream: the host has no streams; choose a device");
  CHECK(error_of([] { return Stream::current(Device::host()); }) ==
        "invalid_argument: stream: the host has no streams; choose a device");
  CHECK(error_of([] { return Event(Device::host()); }) ==
        "invalid_argument: event: the host has no streams; choose a device");
}

TEST_CASE("stream: idle after synchronize") {
  const Stream stream(reference());
  const StreamGuard guard(stream);
  const Tensor x = full({4}, 3, on_reference());
  stream.synchronize();
  CHECK(stream.idle());
  CHECK(values_of(x) == std::vector<float>{3, 3, 3, 3});
}

TEST_CASE("stream: native handles are refused where there are none") {
  CHECK(error_of([] { return Stream::current(reference()).native_handle(); }) ==
        "not_found: reference:0: this back end has no such native handle");
  CHECK(error_of([] { return Event(reference()).native_handle(); }) ==
        "not_found: reference:0: this back end has no such native handle");
}

TEST_CASE("event: orders two streams") {
  const Stream first(reference()), second(reference());
  for (int round = 0; round < 20; ++round) {
    Tensor x = zeros({64}, on_reference());
    Event made(reference());
    made.record(Stream::current(reference()));
    first.wait(made);
    Event filled(reference());
    {
      const StreamGuard guard(first);
      x.fill(round);
      filled.record(first);
    }
    second.wait(filled);
    const StreamGuard guard(second);
    CHECK(sum(x).item() == doctest::Approx(64.0 * round));
  }
}

TEST_CASE("event: done and elapsed time") {
  Event first(reference()), last(reference());
  CHECK(first.done());  // never recorded
  const Stream stream(reference());
  const StreamGuard guard(stream);
  first.record(stream);
  const Tensor x = ones({1000}, on_reference());
  last.record(stream);
  last.synchronize();
  CHECK(first.done());
  CHECK(last.done());
  CHECK(first.seconds_until(last) >= 0);
}

TEST_CASE("event: belongs to a device") {
  const auto all = devices();
  if (all.size() < 2) return;
  const Device other = all.front();
  Event event(other);
  CHECK(error_of([&] { return event.record(Stream::current(reference())), 0; }) ==
        "invalid_argument: event: belongs to " + other.name() +
            ", the stream to reference:0; make the event on the stream's device");
  event.record(Stream::current(other));
  Stream::current(reference()).wait(event);  // the host waits: no device can for another
  CHECK(event.done());
  const Event here(reference());
  CHECK(error_of([&] { return here.seconds_until(event); }) ==
        "invalid_argument: event: time is measured on one device, the events belong to "
        "reference:0 and " +
            other.name());
}

TEST_CASE("stream: a label out of range is reported by the next wait, and the next step works") {
  const Stream stream(reference());
  const StreamGuard guard(stream);
  const Tensor logits = zeros({3, 4}, on_reference());
  const Tensor wrong = tensor(std::vector<std::int64_t>{0, 4, -1}, {3}, on_reference());
  const Tensor loss = cross_entropy(logits, wrong);
  const std::string error = error_of([&] { return loss.item(); });
  CHECK(error.starts_with(
      "out_of_range: cross_entropy: values must be in [0, 4), sample 1 has 4 (operation "));
  CHECK(error.ends_with(" on reference:0)"));
  const Tensor right = tensor(std::vector<std::int64_t>{0, 3, 1}, {3}, on_reference());
  CHECK(cross_entropy(logits, right).item() == doctest::Approx(std::log(4.0)));
}

TEST_CASE("stream: a fault so old that its operation is forgotten is still reported") {
  const Stream stream(reference());
  const StreamGuard guard(stream);
  const Tensor logits = zeros({1, 2}, on_reference());
  const Tensor wrong = tensor(std::vector<std::int64_t>{9}, {1}, on_reference());
  const Tensor loss = cross_entropy(logits, wrong);
  Tensor x = zeros({1}, on_reference());
  for (int i = 0; i < 5000; ++i) x.fill(i);
  CHECK(error_of([&] {
          return stream.synchronize(), 0;
        }).starts_with("out_of_range: operation: values must be in [0, 2), sample 0 has 9"));
}

TEST_CASE("stream: a fault stays on its queue") {
  const Stream faulty(reference()), healthy(reference());
  const Tensor wrong = [] {
    const Tensor labels = tensor(std::vector<std::int64_t>{5}, {1}, on_reference());
    reference().synchronize();
    return labels;
  }();
  {
    const StreamGuard guard(faulty);
    const Tensor loss = cross_entropy(zeros({1, 2}, on_reference()), wrong);
  }
  {
    const StreamGuard guard(healthy);
    CHECK(ones({2}, on_reference()).to_vector<float>() == std::vector<float>{1, 1});
  }
  CHECK(error_of([] { return reference().synchronize(), 0; }).starts_with("out_of_range: "));
  CHECK(error_of([] { return reference().synchronize(), 0; }) == "no error");
}

TEST_CASE("stream: ends while its memory and work go on") {
  Tensor x;
  for (int round = 0; round < 10; ++round) {
    const Stream stream(reference());
    const StreamGuard guard(stream);
    x = full({32}, round, on_reference());
    stream.synchronize();
  }
  CHECK(values_of(x) == std::vector<float>(32, 9));
}
