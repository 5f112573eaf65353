// compile: what a step can't be, each beside what it can.
#include "compile_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

// Of the first call of a step of two tensors.
template <class Step>
std::string error_in(Step&& step) {
  auto compiled = compile(step);
  const Tensor x = counting({2}), y = ones({2}, on_reference());
  const std::string first = error_of([&] { return compiled(x, y), 0; });
  // Nothing of it stays: the next step records as if there had been none.
  CHECK(error_of([&] { return relu(x).item(); }).find("compile") == std::string::npos);
  return first;
}

}  // namespace

TEST_CASE("compile errors: reading on the host") {
  CHECK(error_in([](const Tensor& x, const Tensor& y) { return relu(x) * sum(y).item(); }) ==
        "invalid_argument: compile: the step reads a tensor on the host, after operation 0, sum (4 "
        "bytes); read its results after the call instead");
  CHECK(error_in([](const Tensor& x, const Tensor&) { return x.cpu(); }) ==
        "invalid_argument: compile: the step reads a tensor on the host, before its first "
        "operation (8 bytes); read its results after the call instead");
  CHECK(error_in([](const Tensor& x, const Tensor& y) { return relu(x) * sum(y); }) == "no error");
}

TEST_CASE("compile errors: tensors made from host values") {
  CHECK(error_in([](const Tensor& x, const Tensor&) {
          const Tensor y = relu(x);
          return y + tensor(std::vector<float>{1, 2}, {2}, on_reference());
        }) ==
        "invalid_argument: compile: the step makes a tensor from host values, after operation 0, "
        "relu (8 bytes); it would be the same in each call: pass it as an argument");
  CHECK(error_in([](const Tensor& x, const Tensor&) {
          return relu(x) + full({2}, 1, on_reference());
        }) == "no error");
}

TEST_CASE("compile errors: seeds") {
  CHECK(error_in([](const Tensor& x, const Tensor&) {
          begin_step(3);
          return relu(x);
        }) ==
        "invalid_argument: begin_step: not in a step that compile() records, since it isn't "
        "repeated; call it before the step");
  for (const bool whole : {false, true}) {
    CHECK(error_in([whole](const Tensor& x, const Tensor&) {
            whole ? set_generator_state({.seed = 1}) : manual_seed(1);
            return relu(x);
          }).find(": not in a step that compile() records") != std::string::npos);
  }
}

TEST_CASE("compile errors: two devices") {
  for (const Device other : devices()) {
    if (other == reference()) continue;
    const Tensor there = ones({2}, {.device = other});
    CHECK(error_in([&](const Tensor& x, const Tensor&) {
            static_cast<void>(relu(there));
            return relu(x);
          }) ==
          "invalid_argument: compile: a step runs on one stream of one device, relu of it "
          "runs on reference:0, not " +
              other.name() + "; compile each part by itself");
    CHECK(error_in([&](const Tensor& x, const Tensor&) {
            return relu(x).to(other);
          }).starts_with("invalid_argument: compile: the step reads a tensor on the host"));
  }
}

TEST_CASE("compile errors: two streams") {
  const Stream other(reference());
  CHECK(error_in([&](const Tensor& x, const Tensor&) {
          const Tensor y = relu(x);
          const StreamGuard guard(other);
          return y + 1.0;
        }) ==
        "invalid_argument: compile: a step runs on one stream of one device, affine of it runs on "
        "reference:0 on a second stream; compile each part by itself");
  const StreamGuard guard(other);
  CHECK(error_in([](const Tensor& x, const Tensor&) { return relu(x) + 1.0; }) == "no error");
}

TEST_CASE("compile errors: arguments") {
  auto step = compile([](const Tensor& x, const Tensor& y) { return x + y; });
  const Tensor x = counting({4}), first = x.slice(0, 0, 2), last = x.slice(0, 2, 4);
  const std::string shared =
      "invalid_argument: compile: arguments 0 and 1 share memory; pass a clone() of one of them";
  for (int i = 0; i < 3; ++i) {  // while recording and later
    CHECK(error_of([&] { return step(first, last); }) == shared);
    CHECK(values_of(step(first, last.clone())) == std::vector<float>{2, 4});
  }
  CHECK(error_of([&] { return step(first, Tensor()); }) ==
        "invalid_argument: compile: the tensor is undefined; give it a value first");
  const Tensor w = of({2}).set_requires_grad();
  CHECK(error_of([&] { return step(first, w); }) ==
        "invalid_argument: compile: argument 1 requires a gradient, which a step doesn't give its "
        "arguments; pass its detach(), or let the step use the tensor without passing it");
  CHECK(values_of(step(first, w.detach())) == std::vector<float>{0, 1});
}

TEST_CASE("compile errors: memory beside an argument") {
  const Tensor x = counting({6});
  const std::string beside =
      "invalid_argument: compile: the step uses memory beside its argument 0, of the tensor that "
      "this is a part of; pass what it uses";
  for (const std::int64_t at : {0, 4}) {
    auto step = compile([&](const Tensor& y) { return y + x.slice(0, at, at + 2); });
    CHECK(error_of([&] { return step(x.slice(0, 2, 4)); }) == beside);
  }
  auto step = compile([&](const Tensor& y) { return y + x.slice(0, 2, 4); });
  CHECK(values_of(step(x.slice(0, 2, 4))) == std::vector<float>{4, 6});
}

TEST_CASE("compile errors: results") {
  CHECK(error_in([](const Tensor& x, const Tensor&) {
          static_cast<void>(relu(x));
          return Tensor();
        }) == "invalid_argument: compile: a result of the step is undefined");
  CHECK(error_in([](const Tensor& x, const Tensor&) { return x; }) ==
        "invalid_argument: compile: the step runs no operation on a device");
}

TEST_CASE("compile errors: a number that differs from call to call") {
  double factor = 1;
  auto step = compile([&](const Tensor& x) { return relu(x) * factor; });
  const Tensor x = counting({2});
  static_cast<void>(step(x));
  const std::string stale =
      "invalid_argument: compile: a number in operation 1, affine, differs from the call before, "
      "and would go stale; pass it as a tensor";
  for (int i = 0; i < 3; ++i) {
    factor += 1;
    CHECK(error_of([&] { return step(x); }) == stale);
  }
  CHECK(values_of(step(x)) == std::vector<float>{0, 4});  // twice the same
  CHECK(values_of(step(x)) == std::vector<float>{0, 4});
  CHECK(step.replayed_calls() == 1);

  auto fed = compile([](const Tensor& y, const Tensor& by) { return relu(y) * by; });
  for (int i = 0; i < 4; ++i) {
    CHECK(values_of(fed(x, full({}, i, on_reference()))) ==
          std::vector<float>{0, static_cast<float>(i)});
  }
}

TEST_CASE("compile errors: four calls that differ") {
  int calls = 0;
  auto longer = compile([&](const Tensor& x) {
    Tensor y = relu(x);
    for (int i = 0; i < calls; ++i) y = y + y;
    ++calls;
    return y;
  });
  const Tensor x = counting({2});
  for (int i = 0; i < 3; ++i) CHECK(error_of([&] { return longer(x); }) == "no error");
  CHECK(error_of([&] { return longer(x); }) ==
        "invalid_argument: compile: 4 calls recorded, no two in a row the same: there are 3 "
        "operations in one call and 4 in the next; a step does the same in each call");
  CHECK(error_of([&] { return longer(x); }).find("5 calls recorded") != std::string::npos);
  calls = 5;
  CHECK(error_of([&] { return longer(x); }).find("6 calls recorded") != std::string::npos);
  calls = 5;
  CHECK(error_of([&] { return longer(x); }) == "no error");  // as the one before
}

TEST_CASE("compile errors: what differs is named") {
  const Tensor x = counting({4});
  int calls = 0;
  const auto last_error = [&](auto body) {
    calls = 0;
    auto step = compile([&](const Tensor& y) {
      ++calls;
      return body(y);
    });
    std::string error;
    for (int i = 0; i < 4; ++i) error = error_of([&] { return step(x); });
    return error;
  };
  CHECK(last_error([&](const Tensor& y) {
          return calls % 2 == 0 ? relu(y) : exp(y);
        }).find("operation 0 is exp in one call and relu in the next") != std::string::npos);
  CHECK(last_error([&](const Tensor& y) {
          return calls % 2 == 0 ? gelu(y) : gelu(y, Approximate::tanh);
        }).find("operation 0, gelu, has other parameters in the next call") != std::string::npos);
  CHECK(last_error([&](const Tensor& y) {
          return relu(y.slice(0, calls % 2, calls % 2 + 2));
        }).find("operation 0, relu, has other operands in the next call") != std::string::npos);
  std::vector<Tensor> others = {of({4}), of({4}), of({4}), of({4}), of({4}), of({4})};
  CHECK(last_error([&](const Tensor& y) {
          return y + others[static_cast<std::size_t>(calls)];
        }).find("a tensor that the step finds there is another one in the next call") !=
        std::string::npos);
}

TEST_CASE("compile errors: capacity") {
  const auto step = [](const Tensor& x) { return x; };
  CHECK(error_of([&] { return compile(step, {.capacity = 0}).recorded_calls(); }) ==
        "invalid_argument: compile: the capacity must be at least one recording");
  CHECK(error_of([&] { return compile(step, {.capacity = 1}).recorded_calls(); }) == "no error");
}
