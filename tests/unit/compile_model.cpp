// compile(layer): inference gives what the layer gives in eval mode.
#include <cmath>
#include <thread>

#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

Sequential network() {
  return Sequential{Conv2d(3, 8, {.kernel = 3, .padding = 1}),
                    BatchNorm2d(8),
                    ReLU(),
                    MaxPool2d({.kernel = 2}),
                    Dropout(0.5f),
                    Flatten(),
                    Linear(8 * 4 * 4, 6),
                    BatchNorm1d(6),
                    Tanh(),
                    Linear(6, 5)};
}

Tensor input(Device device, std::int64_t samples = 2) {
  return images(device, 1, {samples, 3, 8, 8});
}

// Running statistics that are neither 0 nor 1.
void train_a_little(Layer& layer, Device device) {
  layer.train();
  for (int i = 0; i < 2; ++i) (void)layer(input(device, 4));
}

void check_close(const Tensor& a, const Tensor& b) {
  const auto x = a.to_vector<float>(), y = b.to_vector<float>();
  REQUIRE(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == doctest::Approx(y[i]).epsilon(1e-4));
}

Tensor in_eval_mode(Layer& layer, const Tensor& x) {
  const NoGradGuard no_graph;
  layer.eval();
  return layer(x);
}

}  // namespace

TEST_CASE("compile(layer): batch norm is folded, and results are the layer's") {
  for (const Device device : devices()) {
    CAPTURE(device.name());
    const DeviceGuard on_device(device);
    manual_seed(3);
    Sequential model = network();
    train_a_little(model, device);
    CompiledModel compiled = compile(model);
    const Tensor made = compiled(input(device));
    CHECK(model.training());  // as it was
    CHECK_FALSE(made.requires_grad());
    check_close(made, in_eval_mode(model, input(device)));
    for (const CompiledPiece& piece : compiled.pieces()) CHECK(piece.operation != "scale_shift");
    check_close(compiled(input(device, 24)), in_eval_mode(model, input(device, 24)));
  }
}

TEST_CASE("compile(layer): at level strict the bits are the layer's") {
  const NumericsGuard strict(Numerics::strict);
  const DeviceGuard on_device(reference());
  Sequential model = network();
  train_a_little(model, reference());
  const Tensor made = compile(model)(input(reference()));
  CHECK(made.to_vector<float>() == in_eval_mode(model, input(reference())).to_vector<float>());
}

TEST_CASE("compile(layer): parameters that change, or move, are seen in the next call") {
  Sequential model{Linear(6, 3)};
  CompiledModel compiled = compile(model);
  const Tensor x = images(default_device(), 0);
  (void)compiled(x);
  {
    const NoGradGuard no_graph;
    for (Tensor& parameter : model.parameters()) parameter.fill(0.5);
  }
  check_close(compiled(x), in_eval_mode(model, x));
  model.to(reference());
  const Tensor there = x.to(reference());
  check_close(compiled(there), in_eval_mode(model, there));
}

TEST_CASE("compile(layer): into a tensor, without memory of the device once warm") {
  Sequential model = network();
  CompiledModel compiled = compile(model);
  const Tensor x = input(default_device()), result = empty({2, 5});
  compiled.run(x, result);
  check_close(result, in_eval_mode(model, x));
  reset_peak_memory(default_device());
  const std::uint64_t before = memory_stats(default_device()).allocated_bytes;
  compiled.run(x, result);
  CHECK(memory_stats(default_device()).peak_allocated_bytes == before);
  CHECK(error_of([&] {
          return compiled.run(x, empty({5, 2})), 0;
        }).find("compile: the result must be row-major f32[2,5] on ") != std::string::npos);
  CHECK(error_of([&] {
          return compiled.run(x, empty({5, 2}).transpose(0, 1)), 0;
        }).starts_with("invalid_argument: compile: the result must be row-major"));
}

TEST_CASE("compile(layer): a layer that returns its input, or a view of it") {
  Sequential model{Flatten()};
  CompiledModel compiled = compile(model);
  Sequential work{Flatten(), ReLU(), Flatten()};
  const Tensor x = input(default_device()), result = empty({2, 192});
  CompiledModel relu = compile(work);
  relu.run(x, result);
  check_close(result, in_eval_mode(work, x));
  CHECK(error_of([&] {
          return compiled(x);
        }).find("compile: the step runs no operation on a device") != std::string::npos);
}

TEST_CASE("compile(layer): several threads at once") {
  Sequential model = network();
  CompiledModel compiled = compile(model);
  std::vector<std::vector<float>> results(4);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i) result = compiled(input(default_device())).to_vector<float>();
      });
    }
  }
  for (const auto& result : results) CHECK(result == results.front());
  check_close(compiled(input(default_device())), in_eval_mode(model, input(default_device())));
}

TEST_CASE("compile(layer): refused options") {
  Sequential model = network();
  CHECK(error_of([&] { return compile(model, {.capacity = 0}); }) ==
        "invalid_argument: compile: the capacity must be at least one recording");
}
