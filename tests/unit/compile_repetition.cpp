// compile: what can be seen of a repetition from outside: observers, pieces, versions, shutdown.
#include <algorithm>

#include "backplane/observe/agreement.hpp"
#include "backplane/observe/anomaly.hpp"
#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

class Names final : public Observer {
 public:
  void before_operation(const Operation& operation, std::span<const Tensor> inputs) override {
    lines += std::string(operation.name()) + "(" + std::to_string(inputs.size()) + ") ";
  }
  void on_operation(const OperationEvent& event) override {
    CHECK(!event.implementation.empty());
    if (event.outputs[0].dtype() == DType::f32) last = event.outputs[0].to_vector<float>();
  }
  std::string lines;
  std::vector<float> last;
};

}  // namespace

TEST_CASE("compile: observers see the operations of a repetition with their values") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) { return exp(relu(x) * 2.0); });
  const Tensor x = zeros({2});
  for (int i = 0; i < 3; ++i) static_cast<void>(step(x));
  Names names;
  const ObserverGuard guard(names);
  const Tensor y = step(x);
  CHECK(step.replayed_calls() == 2);
  CHECK(names.lines == "relu(1) affine(1) exp(1) ");
  CHECK(names.last == std::vector<float>{1, 1});
}

TEST_CASE("compile: every operation of a repetition agrees with the reference") {
  for (const Device device : devices()) {
    CAPTURE(device.name());
    const DeviceGuard on_device(device);
    manual_seed(2);
    Sequential model(Conv2d(1, 3, {.kernel = 3}), BatchNorm2d(3), ReLU(), MaxPool2d({.kernel = 2}),
                     Dropout2d(0.3f), Flatten(), Linear(12, 3));
    AdamW optimizer(model.parameters());
    auto step = compile([&](const Tensor& x, const Tensor& targets) {
      optimizer.zero_grad();
      const Tensor loss = cross_entropy(model(x), targets);
      loss.backward();
      optimizer.step();
      return loss;
    });
    AgreementAudit audit;
    for (int i = 0; i < 5; ++i) {
      const Tensor x = images(device, i, {4, 1, 7, 6}), targets = labels(device, i);
      if (i < 3) {
        static_cast<void>(step(x, targets));
      } else {
        const ObserverGuard guard(audit);
        static_cast<void>(step(x, targets));
      }
    }
    CHECK(step.replayed_calls() == 2);
    INFO(audit.report().first_failure);
    CHECK(audit.report().agrees());
    CHECK(audit.report().operations_checked > 20);
  }
}

// Enough of a batch that it runs by tiles where the device does.
TEST_CASE("compile: for observers, what would run by tiles runs as it is, and outside the graph") {
  bool any_tiled = false;
  for (const Device device : devices()) {
    CAPTURE(device.name());
    const DeviceGuard on_device(device);
    Sequential model(Conv2d(1, 8, {.kernel = 3}), ReLU(), MaxPool2d({.kernel = 2}), Flatten(),
                     Linear(8 * 13 * 13, 3));
    SGD optimizer(model.parameters(), {.learning_rate = 0});
    auto step = compile([&](const Tensor& x, const Tensor& targets) {
      optimizer.zero_grad();
      const Tensor loss = cross_entropy(model(x), targets);
      loss.backward();
      optimizer.step();
      return loss;
    });
    const Tensor x = images(device, 1, {256, 1, 28, 28}),
                 targets = zeros({256}, {.dtype = DType::i64});
    for (int i = 0; i < 3; ++i) static_cast<void>(step(x, targets));
    const float alone = step(x, targets).item();
    const std::vector<CompiledPiece> pieces = step.pieces();
    any_tiled = any_tiled || std::ranges::any_of(pieces, &CompiledPiece::tiled);
    Names names;
    {
      const ObserverGuard guard(names);
      const Tensor seen = step(x, targets);
      CHECK(seen.item() == doctest::Approx(alone).epsilon(1e-5));
      CHECK(seen.is_leaf());
    }
    CHECK(names.lines.find("conv2d") != std::string::npos);
    CHECK(names.lines.find("sgd_step") != std::string::npos);
    CHECK(step(x, targets).item() == doctest::Approx(alone).epsilon(1e-5));
  }
  CHECK(any_tiled);
}

TEST_CASE("compile: pieces name the operations of the last repetition, and how long they took") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) { return exp(relu(x)); });
  const Tensor x = zeros({2});
  static_cast<void>(step(x));
  static_cast<void>(step(x));
  CHECK(step.pieces().empty());
  static_cast<void>(step(x));
  REQUIRE(step.pieces().size() == 2);
  CHECK(step.pieces()[0].operation == "relu");
  CHECK(step.pieces()[1].operation == "exp");
  CHECK(!step.pieces()[1].implementation.empty());
  CHECK(step.pieces()[1].seconds == 0);
  step.profile(true);
  static_cast<void>(step(x));
  CHECK(step.pieces()[1].seconds > 0);
}

TEST_CASE("compile: values that nobody reads are not computed") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) {
    static_cast<void>(exp(x) + 1.0);
    return relu(x);
  });
  for (int i = 0; i < 3; ++i) CHECK(values_of(step(ones({2}))) == std::vector<float>{1, 1});
  REQUIRE(step.pieces().size() == 1);
  CHECK(step.pieces()[0].operation == "relu");
}

TEST_CASE("compile: a repetition takes memory for its results alone") {
  const DeviceGuard on_device(reference());
  Sequential model(Linear(64, 256), ReLU(), Linear(256, 256), ReLU(), Linear(256, 3));
  auto step = compile([&](const Tensor& x) { return model(x); });
  const Tensor x = of({32, 64});
  const NoGradGuard no_graph;
  for (int i = 0; i < 3; ++i) static_cast<void>(step(x));
  reset_peak_memory(reference());
  const MemoryStats before = memory_stats(reference());
  static_cast<void>(step(x));
  CHECK(memory_stats(reference()).peak_allocated_bytes - before.allocated_bytes <= 512);
}

TEST_CASE("compile: a tensor that backward needs is stale once a repetition has changed it") {
  const DeviceGuard on_device(reference());
  Linear layer(2, 2);
  SGD optimizer(layer.parameters(), {.learning_rate = 0.1f});
  auto step = compile([&](const Tensor& x) {
    optimizer.zero_grad();
    sum(layer(x)).backward();
    optimizer.step();
  });
  const Tensor x = counting({3, 2}), leaf = ones({3, 2}, {.requires_grad = true});
  for (int i = 0; i < 4; ++i) {
    const Tensor before = sum(layer(leaf));
    step(x);
    CHECK(error_of([&] { return before.backward(), 0; }).find("changed in place") !=
          std::string::npos);
    CHECK(error_of([&] { return sum(layer(leaf)).backward(), 0; }) == "no error");
  }
  CHECK(step.replayed_calls() == 2);
}

TEST_CASE("compile: a step that throws leaves everything as it is without compile()") {
  const DeviceGuard on_device(reference());
  Linear layer(2, 2);
  Adam optimizer(layer.parameters());
  bool fail = true;
  auto step = compile([&](const Tensor& x) {
    optimizer.zero_grad();
    const Tensor loss = sum(layer(x));
    if (fail) throw std::runtime_error("enough");
    loss.backward();
    optimizer.step();
    return loss;
  });
  const Tensor x = counting({3, 2});
  for (int i = 0; i < 6; ++i) CHECK_THROWS_WITH(static_cast<void>(step(x)), "enough");
  CHECK(step.recorded_calls() == 0);
  CHECK(error_of([&] { return begin_step(1), 0; }) == "no error");  // nothing records any more
  Names names;
  {
    const ObserverGuard guard(names);
    static_cast<void>(relu(x));
  }
  CHECK(names.lines == "relu(1) ");
  fail = false;
  for (int i = 0; i < 5; ++i) static_cast<void>(step(x));
  CHECK(step.replayed_calls() == 2);
  CHECK(optimizer.step_count() == 5);
}

TEST_CASE("compile: a NaN is found in the operation of a repetition that makes it") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) { return relu(log(x)); });
  for (int i = 0; i < 3; ++i) static_cast<void>(step(ones({2})));
  const std::vector<float> bad = {1, -1};
  const AnomalyGuard guard;
  const std::string error = error_of([&] { return step(tensor(bad, {2})); });
  CHECK(error.find("log") != std::string::npos);
}

TEST_CASE("a fault of a repetition where launches block" * doctest::skip()) {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x, const Tensor& y) { return cross_entropy(relu(x), y); });
  const Tensor x = of({2, 3}), good = tensor(std::vector<std::int64_t>{0, 1}, {2});
  for (int i = 0; i < 3; ++i) static_cast<void>(step(x, good));
  const Tensor bad = tensor(std::vector<std::int64_t>{0, 7}, {2});
  const std::string error = error_of([&] { return step(x, bad); });
  CHECK(error.find("cross_entropy: values must be in [0, 3), sample 1 has 7") != std::string::npos);
  CHECK(error_of([&] { return step(x, good).item(); }) == "no error");
  CHECK(step.replayed_calls() == 2);
}

TEST_CASE("compile: where launches block, a repetition names its fault at once") {
  const Finished child =
      run_in_child("a fault of a repetition where launches block", "BACKPLANE_LAUNCH_BLOCKING=1");
  CHECK_MESSAGE(child.status == 0, child.output);
}

TEST_CASE("a compiled step held over a shutdown" * doctest::skip()) {
  const DeviceGuard on_device(reference());
  auto pure = compile([](const Tensor& x) { return relu(x) + 1.0; });
  Linear layer(2, 2);
  auto forward = compile([&](const Tensor& x) { return layer(x); });
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(pure(of({2})));
    static_cast<void>(forward(of({1, 2})));
  }
  shutdown();
  for (int i = 0; i < 3; ++i) CHECK(values_of(pure(of({2}))) == std::vector<float>{1, 1});
  CHECK(pure.recorded_calls() == 4);
  CHECK(error_of([&] {
          return forward(of({1, 2}));
        }) ==
        "invalid_argument: tensor: its memory on reference:0 was released by shutdown(); make it "
        "again");
}

TEST_CASE("compile: after a shutdown steps are recorded anew") {
  const Finished child = run_in_child("a compiled step held over a shutdown");
  CHECK_MESSAGE(child.status == 0, child.output);
}
