// A plug-in that fails in any slot gives an Error with its words; the program goes on.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>

#include "backplane/buffer.hpp"
#include "backplane/functional.hpp"
#include "backplane/stream.hpp"
#include "device/device_state.hpp"
#include "memory/storage.hpp"
#include "stream/stream_state.hpp"
#include "unit/core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

Device thrower() {
  return device("thrower:0");
}

// While it lives, that slot of the plug-in fails.
struct Faulty {
  explicit Faulty(const char* slot, const char* how = "exception") {
    setenv("BACKPLANE_TEST_FAULTY", slot, 1);
    setenv("BACKPLANE_TEST_THROWS", how, 1);
  }
  ~Faulty() {
    unsetenv("BACKPLANE_TEST_FAULTY");
    unsetenv("BACKPLANE_TEST_THROWS");
  }
};

const detail::Backend& plugin() {
  return *thrower().state().backend;
}

// Fails in the same way for both kinds of exception, and works when the slot does.
template <class Body>
void check_slot(const char* slot, Body&& body) {
  INFO(slot);
  CHECK(error_of(body) == "no error");
  {
    const Faulty faulty(slot);
    CHECK(error_of(body) == "backend_failure: thrower:0: " + std::string(slot) + " is broken");
  }
  {
    const Faulty faulty(slot, "int");
    CHECK(error_of(body) == "backend_failure: thrower:0: an exception that is no std::exception");
  }
  CHECK(error_of(body) == "no error");
}

Tensor relu_of(const Tensor& x) {
  return relu(x);
}

constexpr const char* nothing = "the back end returned a null pointer";

}  // namespace

TEST_CASE("slots: devices") {
  check_slot("device_open", [] { return detail::DeviceState(&plugin(), 0).index; });
  check_slot("device_info", [] { return detail::DeviceState(&plugin(), 0).index; });
  const auto set = [] { return thrower().set_option("colour", "blue"), 0; };
  const Faulty faulty("set_option");
  CHECK(error_of(set) == "backend_failure: thrower:0: set_option is broken");
}

TEST_CASE("slots: memory and transfers") {
  check_slot("buffer_wrap", [] { return empty_cache(thrower()), Buffer(thrower(), 1 << 22); });
  Buffer buffer(thrower(), 16);
  std::array<std::byte, 4> bytes{};
  check_slot("upload", [&] { return buffer.upload(bytes), 0; });
  check_slot("download", [&] { return buffer.download(bytes), 0; });
}

TEST_CASE("slots: streams and events") {
  check_slot("queue_create", [] { return Stream(thrower()); });
  const Stream stream(thrower());
  check_slot("queue_synchronize", [&] { return stream.synchronize(), 0; });
  check_slot("queue_error", [&] { return stream.synchronize(), 0; });
  check_slot("queue_query", [&] { return stream.idle(); });
  check_slot("native_handle", [&] { return stream.native_handle(); });
  check_slot("event_create", [] { return Event(thrower()); });
  Event event(thrower());
  check_slot("event_record", [&] { return event.record(stream), 0; });
  check_slot("event_wait", [&] { return stream.wait(event), 0; });
  check_slot("event_query", [&] { return event.done(); });
  check_slot("event_synchronize", [&] { return event.synchronize(), 0; });
  check_slot("event_elapsed", [&] { return event.seconds_until(event); });
}

TEST_CASE("slots: plans") {
  const Tensor x = empty({3}, {.device = thrower()});
  {
    const Faulty faulty("plan_create");
    CHECK(error_of([&] { return relu_of(x); }) ==
          "backend_failure: thrower:0 cannot run relu: plan_create is broken");
  }
  const Tensor y = empty({4}, {.device = thrower()});  // a refusal is kept like a plan
  CHECK(error_of([&] { return relu_of(y); }) == "no error");
  const Faulty faulty("plan_run");
  CHECK(error_of([&] { return relu_of(y); }) ==
        "backend_failure: thrower:0: relu failed: plan_run is broken");
}

TEST_CASE("slots: success without a result is a failure") {
  const auto check_null = [](const char* slot, auto&& body) {
    INFO(slot);
    const Faulty faulty(slot, "null");
    CHECK(error_of(body) == std::string("backend_failure: thrower:0: ") + nothing);
  };
  check_null("device_open", [] { return detail::DeviceState(&plugin(), 0).index; });
  check_null("queue_create", [] { return Stream(thrower()); });
  check_null("event_create", [] { return Event(thrower()); });
  check_null("buffer_wrap", [] { return empty_cache(thrower()), Buffer(thrower(), 1 << 22); });
  const Tensor x = empty({5}, {.device = thrower()});
  const Faulty faulty("plan_create", "null");
  CHECK(error_of([&] { return relu_of(x); }) ==
        std::string("backend_failure: thrower:0 cannot run relu: ") + nothing);
}

TEST_CASE("slots: every one of the table, called as the core calls it") {
  const bp_backend& table = *plugin().table;
  const Stream stream(thrower());
  const Event event(thrower());
  Buffer buffer(thrower(), 16);
  bp_device* device = thrower().state().handle();
  bp_queue* queue = stream.state()->queue;
  const bp_arg arg = buffer.storage()->at(0);
  for (const char* how : {"exception", "int"}) {
    const Faulty faulty("all", how);
    std::uint32_t number = 0;
    std::uint64_t big = 0;
    char byte = 0;
    bp_tensor_desc desc{};
    bp_layout_info layout{};
    CHECK(table.device_count(&number) == BP_FAILED);
    CHECK(table.diagnose(&byte, 1, &byte, 1) == BP_FAILED);
    CHECK(table.memory_info(device, &big, &big) == BP_FAILED);
    CHECK(table.layout_info(device, &desc, &layout) == BP_FAILED);
    void* memory = nullptr;
    bp_sequence* sequence = nullptr;
    CHECK(table.host_alloc(device, 4, &memory) == BP_FAILED);
    CHECK(table.sequence_begin(queue) == BP_FAILED);
    CHECK(table.sequence_end(queue, &sequence) == BP_FAILED);
    CHECK(table.copy(queue, arg, arg, 4) == BP_FAILED);
    CHECK(
        std::string(table.last_error()) ==
        (how == std::string("int") ? "an exception that is no std::exception" : "copy is broken"));
  }
}

TEST_CASE("slots: a back end whose devices can't be counted is absent, with its words" *
          doctest::skip()) {
  bool found = false;
  for (const AbsentBackend& absent : absent_backends()) {
    if (absent.backend != "thrower") continue;
    found = true;
    CHECK(absent.code == ErrorCode::backend_failure);
    CHECK(absent.reason == "device_count is broken");
  }
  CHECK(found);
  CHECK(
      error_of([] { return device("thrower:0"); }).ends_with(". thrower: device_count is broken"));
}

TEST_CASE("slots: a device that fails to open doesn't hide the others" * doctest::skip()) {
  CHECK(error_of([] {
          return device("thrower:0");
        }).ends_with(". thrower: thrower:0: device_open is broken"));
  CHECK(device("mirror:0").name() == "mirror:0");
}

TEST_CASE("slots: faults that are met while the devices are listed") {
  const Finished all =
      run_in_child("slots: a back end whose devices*", "BACKPLANE_TEST_FAULTY=all");
  CHECK_MESSAGE(all.status == 0, all.output);
  const Finished open =
      run_in_child("slots: a device that fails to open*", "BACKPLANE_TEST_FAULTY=device_open");
  CHECK_MESSAGE(open.status == 0, open.output);
}

TEST_CASE("answers: a plan that changes more than strides and layouts is refused") {
  std::int64_t size = 10;
  for (const auto& [fault, text] :
       {std::pair{"other_shape", "another type or shape than it was asked for"},
        std::pair{"other_rank", "another type or shape than it was asked for"},
        std::pair{"open_layout", "a layout left open"},
        std::pair{"negative_stride", "a negative stride"}}) {
    const Tensor x = empty({++size}, {.device = thrower()});
    const Faulty faulty(fault);
    CHECK(error_of([&] { return relu_of(x); }) ==
          "backend_failure: thrower:0: relu answered with " + std::string(text) +
              "; its author sets strides and layout only");
  }
  const Tensor x = empty({2, 2}, {.device = thrower()});
  CHECK(error_of([&] { return x.transpose(0, 1).clone(); }) ==
        "backend_failure: thrower:0: copy asks for its input to be reordered, which is what copy "
        "does; its author takes every layout");
}
