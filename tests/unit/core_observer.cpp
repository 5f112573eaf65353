// Observers: order, nesting, transfers, and what an exception in one does.
#include "backplane/observe/observer.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

class Diary final : public Observer {
 public:
  void before_operation(const Operation& operation, std::span<const Tensor> inputs) override {
    note("before " + std::string(operation.name()) + " " + std::to_string(inputs.size()));
  }
  void on_operation(const OperationEvent& event) override {
    note("after " + std::string(event.operation.name()) + " " +
         std::to_string(event.outputs.size()));
    CHECK(event.stream == Stream::current(event.outputs[0].device()));
    CHECK(!event.implementation.empty());
    CHECK(event.sequence > last_sequence);
    last_sequence = event.sequence;
  }
  void on_transfer(const TransferEvent& event) override {
    static constexpr const char* names[] = {"to", "from", "between"};
    note(std::string(names[static_cast<int>(event.direction)]) + " " + event.device.name() + " " +
         std::to_string(event.bytes));
  }
  void note(const std::string& line) { lines += (lines.empty() ? "" : "; ") + line; }
  std::string lines;
  std::uint64_t last_sequence = 0;
};

// Uses the device that it watches.
class Busy final : public Observer {
 public:
  void on_operation(const OperationEvent& event) override {
    ++told;
    last_sum = sum(event.outputs[0]).item();
  }
  int told = 0;
  float last_sum = 0;
};

class Angry final : public Observer {
 public:
  void on_operation(const OperationEvent&) override { throw std::runtime_error("enough"); }
};

}  // namespace

TEST_CASE("observer: sees operations and transfers in order") {
  const Tensor x = counting({2});
  Diary diary;
  {
    const ObserverGuard guard(diary);
    static_cast<void>(add(relu(x), x).cpu());
    CHECK(diary.lines ==
          "before relu 1; after relu 1; before add 2; after add 1; from reference:0 8");
    diary.lines.clear();
    static_cast<void>(counting({3}));
    CHECK(diary.lines == "to reference:0 12");
  }
  diary.lines.clear();
  static_cast<void>(relu(x));
  CHECK(diary.lines.empty());
}

TEST_CASE("observer: sees a copy between devices as its two halves and the whole") {
  for (const Device other : devices()) {
    if (other == reference()) continue;
    const Tensor x = counting({4});
    Diary diary;
    const ObserverGuard guard(diary);
    static_cast<void>(x.to(other));
    CHECK(diary.lines == "from reference:0 16; to " + other.name() + " 16; between reference:0 16");
  }
}

TEST_CASE("observer: copy_from another device into dense memory is nothing but its transfer") {
  const Tensor x = zeros({4}, {.device = reference()});
  const Tensor source = counting({2}, Device::host());
  Diary diary;
  const ObserverGuard guard(diary);
  x.slice(0, 1, 3).copy_from(source);
  CHECK(diary.lines == "to reference:0 8");
  diary.lines.clear();
  x.slice(0, 0, 4, 2).copy_from(source);
  CHECK(diary.lines == "to reference:0 8; before copy 1; after copy 1");
  CHECK(values_of(x) == std::vector<float>{0, 0, 1, 0});
}

TEST_CASE("observer: what it dispatches itself isn't told, to nobody") {
  const Tensor x = counting({4});
  Busy busy;
  Diary diary;
  const ObserverGuard outer(diary), inner(busy);
  static_cast<void>(x + 1.0);
  CHECK(busy.told == 1);
  CHECK(busy.last_sum == 10);
  CHECK(diary.lines == "before affine 1; after affine 1");
}

TEST_CASE("observer: may be the first to use another device on this thread") {
  const Tensor x = counting({4});
  reference().synchronize();
  for (const Device other : devices()) {
    struct Elsewhere final : Observer {
      explicit Elsewhere(Device device) : there(device) {}
      void before_operation(const Operation&, std::span<const Tensor> inputs) override {
        copy = inputs[0].to(there);
      }
      Device there;
      Tensor copy;
    } observer(other);
    std::thread([&] {
      const ObserverGuard guard(observer);
      CHECK(values_of(x + 1.0) == std::vector<float>{1, 2, 3, 4});
    }).join();
    CHECK(observer.copy.device() == other);
  }
}

TEST_CASE("observer: on its own thread only") {
  Diary diary;
  const ObserverGuard guard(diary);
  std::thread([] { static_cast<void>(relu(counting({2}))); }).join();
  CHECK(diary.lines.empty());
}

TEST_CASE("observer: an exception reaches the caller, and the others stay") {
  const Tensor x = counting({2});
  Diary diary;
  const ObserverGuard outer(diary);
  {
    Angry angry;
    const ObserverGuard inner(angry);
    CHECK_THROWS_WITH(static_cast<void>(relu(x)), "enough");
    CHECK_THROWS_WITH(static_cast<void>(relu(x)), "enough");
  }
  diary.lines.clear();
  CHECK(values_of(relu(x)) == std::vector<float>{0, 1});
  CHECK(diary.lines == "before relu 1; after relu 1; from reference:0 8");
}
