// Optimizer: which parameters step, in how many operations, and what is refused.
#include "backplane/optim/optimizer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "backplane/functional.hpp"
#include "backplane/observe/observer.hpp"
#include "backplane/optim/adam.hpp"
#include "backplane/optim/rmsprop.hpp"
#include "backplane/optim/sgd.hpp"

using namespace backplane;

namespace {

Tensor parameter(float value, Device device = default_device()) {
  return full({2}, value, {.device = device, .requires_grad = true});
}

std::vector<float> values(const Tensor& tensor) {
  return tensor.to_vector<float>();
}

class Counter final : public Observer {
 public:
  void on_operation(const OperationEvent& event) override {
    names.emplace_back(event.operation.name());
  }
  [[nodiscard]] std::ptrdiff_t count(std::string_view name) const {
    return std::count(names.begin(), names.end(), name);
  }
  std::vector<std::string> names;
};

}  // namespace

TEST_CASE("optimizer: one operation steps all parameters") {
  Tensor a = parameter(1), b = parameter(2), c = parameter(3);
  SGD sgd({a, b, c}, {.learning_rate = 1});
  Adam adam({a, b, c});
  sum(a + b + c).backward();
  Counter counter;
  const ObserverGuard guard(counter);
  sgd.step();
  CHECK(counter.names == std::vector<std::string>{"sgd_step"});
  adam.step();
  CHECK(counter.count("adam_step") == 1);
  adam.step();
  CHECK(counter.count("adam_step") == 2);
}

TEST_CASE("optimizer: one operation for each device") {
  std::vector<Tensor> parameters;
  for (const Device device : devices()) parameters.push_back(parameter(1, device));
  SGD sgd(parameters, {.learning_rate = 0.25f});
  for (const Tensor& p : parameters) sum(p).backward();
  Counter counter;
  const ObserverGuard guard(counter);
  sgd.step();
  CHECK(counter.count("sgd_step") == static_cast<std::ptrdiff_t>(parameters.size()));
  for (const Tensor& p : parameters) CHECK(values(p) == std::vector<float>{0.75f, 0.75f});
}

TEST_CASE("optimizer: parameters without gradient are passed over") {
  Tensor reached = parameter(1), unreached = parameter(1), frozen = ones({2});
  SGD sgd({reached, unreached, frozen}, {.learning_rate = 1, .weight_decay = 0.5f});
  sum(reached).backward();
  sgd.step();
  CHECK(values(reached) == std::vector<float>{-0.5f, -0.5f});
  CHECK(values(unreached) == std::vector<float>{1, 1});
  CHECK(values(frozen) == std::vector<float>{1, 1});
}

TEST_CASE("optimizer: zero_grad drops gradients, or keeps their memory") {
  Tensor a = parameter(1);
  SGD sgd({a}, {.learning_rate = 1});
  sum(a).backward();
  SUBCASE("dropped") {
    sgd.zero_grad();
    CHECK_FALSE(a.grad().defined());
    sgd.step();
    CHECK(values(a) == std::vector<float>{1, 1});
  }
  SUBCASE("kept") {
    const Tensor gradient = a.grad();
    sgd.zero_grad(true);
    CHECK(a.grad().impl() == gradient.impl());
    CHECK(values(gradient) == std::vector<float>{0, 0});
  }
}

TEST_CASE("optimizer: the learning rate may change between steps") {
  Tensor a = parameter(10);
  SGD sgd({a}, {.learning_rate = 1});
  sum(a).backward();
  CHECK(sgd.learning_rate() == 1);
  CHECK(sgd.step_count() == 0);
  sgd.step();
  CHECK(values(a)[0] == 9);
  sgd.set_learning_rate(0.5f);
  sgd.step();
  CHECK(values(a)[0] == 8.5f);
  sgd.set_learning_rate(0);
  sgd.step();
  CHECK(values(a)[0] == 8.5f);
  CHECK(sgd.step_count() == 3);
  CHECK_THROWS_WITH_AS(sgd.set_learning_rate(-0.5f),
                       "SGD: learning_rate must be finite and not negative, got -0.5", Error);
  CHECK(sgd.learning_rate() == 0);
}

TEST_CASE("optimizer: a step after forward makes that graph stale") {
  Tensor a = parameter(2);
  SGD sgd({a}, {.learning_rate = 1});
  const Tensor loss = sum(a * a);
  loss.backward();
  const Tensor other = sum(a * a);
  sgd.step();
  CHECK_THROWS_AS(other.backward(), Error);
}

TEST_CASE("optimizer: groups have options of their own") {
  Tensor a = parameter(1), b = parameter(1), c = parameter(1);
  SGD sgd({{{a, b}, {.learning_rate = 1}}, {{c}, {.learning_rate = 0.5f, .weight_decay = 2}}});
  CHECK(sgd.group_count() == 2);
  CHECK(sgd.parameters().size() == 3);
  sum(a + b + c).backward();
  Counter counter;
  {
    const ObserverGuard guard(counter);
    sgd.step();
  }
  CHECK(counter.names == std::vector<std::string>{"sgd_step", "sgd_step"});
  CHECK(values(a) == std::vector<float>{0, 0});
  CHECK(values(c) == std::vector<float>{-0.5f, -0.5f});
  sgd.set_learning_rate(1, 0.25f);
  CHECK(sgd.learning_rate(0) == 1);
  CHECK(sgd.learning_rate(1) == 0.25f);
  CHECK_THROWS_WITH_AS(static_cast<void>(sgd.learning_rate(2)),
                       "SGD: there are 2 groups, number 2 is none of them", Error);
}

namespace {

// A step whose gradient is the parameter itself.
void step_on_square(Optimizer& optimizer, const Tensor& p) {
  optimizer.zero_grad();
  sum(p * p * 0.5).backward();
  optimizer.step();
}

std::vector<NamedState> cloned(std::vector<NamedState> state) {
  for (NamedState& entry : state) entry.tensor = entry.tensor.clone();
  return state;
}

// Two steps, a checkpoint, two more; another optimizer goes on from the checkpoint.
template <class Kind>
void check_restart(const typename Kind::Options& options) {
  Tensor p = parameter(3);
  Kind first({p}, options);
  for (int i = 0; i < 2; ++i) step_on_square(first, p);
  const std::vector<NamedState> state = cloned(first.state());
  Tensor copy = p.detach().clone().set_requires_grad();
  for (int i = 0; i < 2; ++i) step_on_square(first, p);
  Kind second({copy}, options);
  second.set_learning_rate(7);
  second.load_state(state);
  for (int i = 0; i < 2; ++i) step_on_square(second, copy);
  CHECK(values(copy) == values(p));
  CHECK(second.step_count() == 4);
}

}  // namespace

TEST_CASE("optimizer: a checkpoint goes on to the same bits") {
  check_restart<SGD>({.learning_rate = 0.1f, .momentum = 0.9f});
  check_restart<Adam>({.learning_rate = 0.1f});
  check_restart<AdamW>({.learning_rate = 0.1f});
  check_restart<RMSprop>({.learning_rate = 0.1f, .momentum = 0.5f, .centered = true});
}

TEST_CASE("optimizer: a state that doesn't fit is refused, and changes nothing") {
  Tensor p = parameter(1);
  SGD sgd({p}, {.learning_rate = 0.5f, .momentum = 0.5f});
  step_on_square(sgd, p);
  const std::vector<NamedState> state = cloned(sgd.state());
  CHECK(state.size() == 4);
  CHECK(state[3].name == "0.momentum");
  const auto refused = [&](auto change) {
    std::vector<NamedState> changed = state;
    change(changed);
    try {
      sgd.load_state(changed);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(refused([](auto& s) { s.erase(s.begin()); }) ==
        "SGD: state 'step_count' is missing; pass all that state() gave");
  CHECK(refused([](auto& s) { s[3].name = "1.momentum"; }) ==
        "SGD: state '1.momentum' has no place here; was it made with other parameters or options?");
  CHECK(refused([](auto& s) { s[3].tensor = zeros({3}); }) ==
        "SGD: state '0.momentum' must be f32[2], got f32[3]");
  CHECK(refused([](auto& s) { s.push_back(s[0]); }) == "SGD: state 'step_count' comes twice");
  CHECK(sgd.step_count() == 1);
  CHECK(values(sgd.state()[3].tensor) == values(state[3].tensor));
}

TEST_CASE("optimizer: refusals") {
  const Tensor a = parameter(1);
  CHECK_THROWS_WITH_AS(SGD(std::vector<Tensor>()),
                       "SGD: there must be parameters, got none; pass a layer's parameters()",
                       Error);
  CHECK_THROWS_WITH_AS(Adam({a, Tensor()}), "Adam: parameter 1 is undefined", Error);
  CHECK_THROWS_WITH_AS(SGD({a, a * 2}),
                       "SGD: parameter 1 [2] must be a leaf, it is the result of an operation; pass"
                       " the tensors it was made of, or detach() it",
                       Error);
  CHECK_THROWS_WITH_AS(SGD({a, a}),
                       "SGD: parameter 1 comes a second time; each would be stepped twice", Error);
  CHECK_THROWS_WITH_AS(SGD({ones({2}), ones({2})}),
                       "SGD: a parameter must require a gradient, none of 2 does; call"
                       " set_requires_grad()",
                       Error);
}
