// shutdown(): what is gone afterwards, what stays, and using devices again. Each in a process of
// its own, since it takes the memory of every test's tensors away.
#include <doctest/doctest.h>

#include <array>

#include "backplane/autograd.hpp"
#include "backplane/buffer.hpp"
#include "backplane/plan.hpp"
#include "backplane/stream.hpp"
#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

// Destroyed after main, when the plug-ins' own statics are gone.
Tensor outlives_everything;

}  // namespace

TEST_CASE("everything held over a shutdown" * doctest::skip()) {
  const Tensor x = counting({4}).set_requires_grad();
  const Tensor graph = relu(x) * x;
  const Tensor host = counting({2}, Device::host());
  Buffer buffer(reference(), 100);
  const Stream stream(reference());
  Event event(reference());
  event.record(stream);
  const TensorSpec spec{DType::f32, {4}};
  const Plan plan(reference(), Operation(op::Relu{}), std::array{spec}, std::array{spec});
  {
    const StreamGuard guard(stream);
    outlives_everything = full({3}, 1, on_reference());
  }

  shutdown();
  shutdown();
  const std::string released =
      "invalid_argument: tensor: its memory on reference:0 was released by shutdown(); make it "
      "again";
  CHECK(error_of([&] { return values_of(x); }) == released);
  CHECK(error_of([&] { return relu(x); }) == released);
  CHECK(error_of([&] { return sum(graph).backward(), 0; }) == released);
  std::array<std::byte, 4> bytes{};
  CHECK(error_of([&] { return buffer.upload(bytes), 0; }) == released);
  CHECK(error_of([&] { return stream.synchronize(), 0; }) ==
        "invalid_argument: stream: reference:0 was shut down; make a new stream");
  CHECK(error_of([&] { return event.done(); }) ==
        "invalid_argument: event: reference:0 was shut down; make a new event");
  const Tensor fresh = counting({4});
  CHECK(error_of([&] {
          return plan.run(Operation(op::Relu{}), std::array{fresh}, std::array{fresh}), 0;
        }) ==
        "invalid_argument: relu: the plan went with the shutdown of reference:0; make a new one");
  CHECK(values_of(host) == std::vector<float>{0, 1});
  CHECK(memory_stats(reference()).allocated_bytes == 512);  // what is new alone
  CHECK(values_of(fresh + 1.0) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("tensors that no shutdown precedes" * doctest::skip()) {
  outlives_everything = full({3}, 1, on_reference()) + 1.0;
  CHECK(sum(outlives_everything).item() == 6);
}

TEST_CASE("shutdown: what is held is refused, not crashed over, and devices work again") {
  const Finished child = run_in_child("everything held over a shutdown");
  CHECK_MESSAGE(child.status == 0, child.output);
}

TEST_CASE("exit: tensors may outlive main") {
  const Finished child = run_in_child("tensors that no shutdown precedes");
  CHECK_MESSAGE(child.status == 0, child.output);
}
