// Fused operations and tiled runs of compiled steps, on every device: what they are made of, and
// that they learn what the step as it is learns.
#include <algorithm>
#include <cmath>

#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

constexpr std::int64_t image = 20, classes = 4;

Sequential network() {
  return Sequential{Conv2d(1, 8, {.kernel = 3}),
                    ReLU(),
                    Conv2d(8, 9, {.kernel = 3, .padding = 1}),
                    ReLU(),
                    MaxPool2d({.kernel = 2}),
                    Dropout2d(0.25f),
                    Flatten(),
                    Linear(9 * 9 * 9, classes)};
}

struct Data {
  Tensor images, labels;
};

Data data(Device device, std::int64_t samples, int step) {
  std::vector<float> pixels(static_cast<std::size_t>(samples * image * image));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<float>((i * 31 + static_cast<std::size_t>(step) * 17) % 101) / 50 - 1;
  }
  std::vector<std::int64_t> targets(static_cast<std::size_t>(samples));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    targets[i] = static_cast<std::int64_t>((i + static_cast<std::size_t>(step)) % classes);
  }
  return {tensor(pixels, {samples, 1, image, image}, {.device = device}),
          tensor(targets, {samples}, {.device = device})};
}

struct Learned {
  std::vector<float> losses, weights;
  std::vector<CompiledPiece> pieces;

  [[nodiscard]] bool has(std::string_view operation, bool tiled) const {
    return std::ranges::any_of(pieces, [&](const CompiledPiece& piece) {
      return piece.operation == operation && piece.tiled == tiled;
    });
  }
  [[nodiscard]] bool is_tiled() const { return std::ranges::any_of(pieces, &CompiledPiece::tiled); }
};

// Six steps from the same weights, compiled or as they are.
Learned learn(Device device, std::int64_t samples, std::optional<CompileOptions> options) {
  const DeviceGuard on_device(device);
  manual_seed(7);
  Sequential model = network();
  Adam optimizer(model.parameters());
  const auto step = [&](const Tensor& x, const Tensor& labels) {
    optimizer.zero_grad();
    Tensor loss = cross_entropy(model(x), labels);
    loss.backward();
    optimizer.step();
    return loss.detach();
  };
  auto compiled = compile(step, options.value_or(CompileOptions{}));
  Learned learned;
  for (int i = 0; i < 6; ++i) {
    begin_step(static_cast<std::uint32_t>(i));
    const Data batch = data(device, samples, i);
    const Tensor loss =
        options ? compiled(batch.images, batch.labels) : step(batch.images, batch.labels);
    learned.losses.push_back(loss.item<float>());
  }
  for (const Tensor& parameter : model.parameters()) {
    const auto values = parameter.to_vector<float>();
    learned.weights.insert(learned.weights.end(), values.begin(), values.end());
  }
  learned.pieces = compiled.pieces();
  return learned;
}

// Adam moves a weight by its rate whatever the size of the gradient, so that rounding near 0 shows.
void check_close(const Learned& a, const Learned& b) {
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    CHECK(a.losses[i] == doctest::Approx(b.losses[i]).epsilon(1e-4));
  }
  std::size_t far = 0;
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    far += std::abs(a.weights[i] - b.weights[i]) > 1e-4f ? 1 : 0;
  }
  CHECK(far * 100 < a.weights.size());
}

}  // namespace

TEST_CASE("compile: convolution, relu, pool and dropped channels become one operation") {
  for (const Device device : devices()) {
    CAPTURE(device.name());
    const Learned plain = learn(device, 3, std::nullopt);
    const Learned fused = learn(device, 3, CompileOptions{});
    CHECK(fused.has("conv2d_relu_max_pool", false));
    CHECK(fused.has("conv2d_relu_max_pool_backward_data", false));
    CHECK(fused.has("conv2d_relu_max_pool_backward_weight", false));
    CHECK(fused.has("conv2d_activation", false));
    CHECK_FALSE(fused.has("max_pool2d", false));
    CHECK_FALSE(fused.has("relu", false));
    check_close(plain, fused);
  }
}

TEST_CASE("compile: log_softmax and nll_loss become cross_entropy") {
  for (const Device device : devices()) {
    CAPTURE(device.name());
    const DeviceGuard on_device(device);
    const auto train = [&](bool compiled, std::vector<CompiledPiece>& pieces) {
      manual_seed(5);
      Linear model(6, 3);
      SGD optimizer(model.parameters(), {.learning_rate = 0.1f});
      const auto step = [&](const Tensor& x, const Tensor& targets) {
        optimizer.zero_grad();
        Tensor loss = nll_loss(log_softmax(model(x), 1), targets);
        loss.backward();
        optimizer.step();
        return loss.detach();
      };
      auto repeated = compile(step);
      std::vector<float> losses;
      for (int i = 0; i < 5; ++i) {
        const Tensor x = images(device, i), targets = labels(device, i);
        losses.push_back((compiled ? repeated(x, targets) : step(x, targets)).item<float>());
      }
      pieces = repeated.pieces();
      return losses;
    };
    std::vector<CompiledPiece> none, pieces;
    const auto eager = train(false, none), fused = train(true, pieces);
    for (std::size_t i = 0; i < eager.size(); ++i) {
      CHECK(fused[i] == doctest::Approx(eager[i]).epsilon(1e-5));
    }
    const auto count = [&](std::string_view name) {
      return std::ranges::count(pieces, name, &CompiledPiece::operation);
    };
    CHECK(count("cross_entropy") == 1);
    CHECK(count("cross_entropy_backward") == 1);
    CHECK(count("log_softmax") + count("nll") + count("nll_backward") == 0);
  }
}

TEST_CASE("compile: at level strict nothing is fused or tiled, and all bits are the step's own") {
  const NumericsGuard strict(Numerics::strict);
  const Learned plain = learn(reference(), 24, std::nullopt);
  const Learned compiled = learn(reference(), 24, CompileOptions{});
  CHECK_FALSE(compiled.has("conv2d_relu_max_pool", false));
  CHECK_FALSE(compiled.is_tiled());
  CHECK(plain.losses == compiled.losses);
  CHECK(plain.weights == compiled.weights);
}

TEST_CASE("compile: a batch runs tile by tile where that keeps more in the cache than it reads") {
  for (const Device device : devices()) {
    if (device.backend() == "opencl" || device.kind() != DeviceKind::cpu) continue;
    CAPTURE(device.name());
    const Learned plain = learn(device, 64, std::nullopt);
    for (const std::uint32_t team : {1u, 2u}) {
      const std::uint32_t before = threads();
      set_threads(team);
      const Learned tiled = learn(device, 64, CompileOptions{});
      const Learned again = learn(device, 64, CompileOptions{});
      set_threads(before);
      CHECK(tiled.has("conv2d_relu_max_pool", true));
      CHECK(tiled.has("cross_entropy", true));
      CHECK(tiled.has("adam_step", false));
      check_close(plain, tiled);
      CHECK(tiled.losses == again.losses);  // the same threads, the same bits
      CHECK(tiled.weights == again.weights);
    }
    CHECK_FALSE(learn(device, 64, CompileOptions{.tiled = false}).is_tiled());
    CHECK_FALSE(learn(device, 3, CompileOptions{}).is_tiled());
  }
}

TEST_CASE("compile: a batch of a prime number of samples has tiles of one") {
  const Learned plain = learn(default_device(), 61, std::nullopt);
  const Learned tiled = learn(default_device(), 61, CompileOptions{});
  CHECK(tiled.is_tiled());
  check_close(plain, tiled);
}

TEST_CASE("compile: an argument with as many elements as samples that all samples share") {
  const std::int64_t size = 384;
  const Device device = default_device();
  const auto step = [](const Tensor& x, const Tensor& columns) {
    return relu(tanh(relu((x + columns) * columns) - columns) * columns + x) * columns;
  };
  auto compiled = compile(step);
  const Tensor x = images(device, 1, {size, size});
  const Tensor columns = arange(0, size, 1, {.device = device}) * 0.01f;
  const NoGradGuard no_graph;
  Tensor made;
  for (int i = 0; i < 3; ++i) made = compiled(x, columns);
  CHECK(std::ranges::any_of(compiled.pieces(), &CompiledPiece::tiled));
  CHECK(made.to_vector<float>() == step(x, columns).to_vector<float>());
}

TEST_CASE("compile: a fault in a tile names the sample of the batch") {
  for (const Device device : devices()) {
    if (device.backend() == "opencl" || device.kind() != DeviceKind::cpu) continue;
    CAPTURE(device.name());
    const DeviceGuard on_device(device);
    manual_seed(7);
    Sequential model = network();
    auto loss_of = compile([&](const Tensor& x, const Tensor& labels) {
      for (Tensor parameter : model.parameters()) parameter.set_grad({});
      Tensor loss = cross_entropy(model(x), labels);
      loss.backward();
      return loss.detach();
    });
    const Data batch = data(device, 64, 0);
    for (int i = 0; i < 3; ++i) (void)loss_of(batch.images, batch.labels).item<float>();
    std::vector<std::int64_t> wrong(64, 1);
    wrong[53] = classes;
    const Tensor labels = tensor(wrong, {64}, {.device = device});
    const std::string error = error_of([&] { return loss_of(batch.images, labels).item<float>(); });
    CHECK(error.find("cross_entropy: values must be in [0, 4), sample 53 has 4") != error.npos);
    CHECK(std::isfinite(loss_of(batch.images, batch.labels).item<float>()));
  }
}
