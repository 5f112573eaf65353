// compile(layer): once warm, a call takes nothing from the heap, neither in the library nor in a
// back end that computes on the CPU.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "backplane/backplane.hpp"
#include "models/registry.hpp"

namespace {

std::atomic<std::int64_t> taken = 0;

void* take(std::size_t bytes) {
  ++taken;
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// In place of the process's own, the libraries' included.
void* operator new(std::size_t bytes) {
  return take(bytes);
}
void* operator new[](std::size_t bytes) {
  return take(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace backplane;  // NOLINT: the tests are a consumer of the API

TEST_CASE("compile: a warm call of a model takes nothing from the heap") {
  for (const Device device : devices()) {
    if (device.backend() != "onednn") continue;  // the reference is there to be read
    const DeviceGuard on_device(device);
    models::Model network = models::find_model("mnist_cnn");
    const std::unique_ptr<Layer> layers = network.make();
    auto model = compile(*layers);
    bool any_tiled = false;
    for (const std::int64_t batch : {1, 64}) {
      CAPTURE(batch);
      const Tensor x = ones({batch, 1, 28, 28}), y = empty({batch, 10});
      for (int i = 0; i < 3; ++i) model.run(x, y);
      const std::int64_t before = taken;
      model.run(x, y);
      CHECK(taken == before);
      for (const CompiledPiece& piece : model.pieces()) any_tiled = any_tiled || piece.tiled;
    }
    CHECK(any_tiled);
    const std::int64_t before = taken;
    static_cast<void>(model(ones({1, 1, 28, 28})));  // makes a tensor for its result
    CHECK(taken > before);
  }
}
