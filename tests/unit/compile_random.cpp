// compile: random draws of a repetition are those that the step would make.
#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

Recipe with_dropout() {
  Recipe recipe;
  recipe.model = [] {
    return std::make_unique<Sequential>(Linear(6, 16), Dropout(0.5f), ReLU(), Linear(16, 3));
  };
  return recipe;
}

}  // namespace

TEST_CASE("compile: dropout draws on from call to call") {
  check_same(with_dropout());
}

TEST_CASE("compile: dropout draws as the step that was opened") {
  Recipe recipe = with_dropout();
  recipe.before = [](Training&, int step) {
    begin_step(static_cast<std::uint32_t>(step * step), static_cast<std::uint32_t>(7 * step));
  };
  check_same(recipe);
}

TEST_CASE("compile: draws between the calls move on those of the next one") {
  Recipe recipe = with_dropout();
  recipe.before = [](Training&, int step) {
    for (int i = 0; i < step; ++i) static_cast<void>(uniform({2}, 0, 1));
  };
  check_same(recipe);
}

TEST_CASE("compile: a seed set between the calls counts") {
  Recipe recipe = with_dropout();
  recipe.before = [](Training&, int step) { manual_seed(static_cast<std::uint64_t>(step) << 33); };
  check_same(recipe);
}

TEST_CASE("compile: noise on the input, uniform and normal, and channels dropped") {
  Recipe recipe;
  recipe.input = {4, 2, 6, 6};
  recipe.model = [] {
    return std::make_unique<Sequential>(Conv2d(2, 4, {.kernel = 3}), Dropout2d(0.5f), Flatten(),
                                        Linear(64, 3));
  };
  recipe.step = [](Training& training, const Tensor& x, const Tensor& targets) {
    const Tensor noise = uniform(x.shape(), -0.1f, 0.1f) + normal(x.shape(), 0, 0.1f);
    training.optimizer->zero_grad();
    Tensor loss = cross_entropy((*training.model)(x + noise), targets);
    loss.backward();
    training.optimizer->step();
    return loss;
  };
  check_same(recipe);
}

TEST_CASE("compile: the generator stands where the step would have left it") {
  const DeviceGuard on_device(reference());
  auto step = compile([](const Tensor& x) { return x + uniform({2}, 0, 1) + normal({2}, 0, 1); });
  const Tensor x = zeros({2});
  manual_seed(5);
  std::vector<std::uint32_t> sites;
  for (int i = 0; i < 4; ++i) {
    static_cast<void>(step(x));
    sites.push_back(generator_state().site);
  }
  CHECK(step.replayed_calls() == 2);
  CHECK(sites == std::vector<std::uint32_t>{2, 4, 6, 8});
}
