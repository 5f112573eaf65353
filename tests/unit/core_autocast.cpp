// autocast: scopes, which operations are narrowed, gradients, kept copies of weights, refusals.
#include "backplane/autocast.hpp"

#include <stdexcept>
#include <thread>

#include "backplane/autograd.hpp"
#include "backplane/compile.hpp"
#include "backplane/function.hpp"
#include "backplane/observe/observer.hpp"
#include "backplane/random.hpp"
#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

constexpr DType bf16 = DType::bf16;

Tensor drawn(const Shape& shape, std::uint64_t seed = 1) {
  manual_seed(seed);
  return uniform(shape, -1, 1, on_reference());
}

Tensor rounded(const Tensor& x) {
  return cast(cast(x, bf16), DType::f32);
}

// What the reference does inside a scope is what it does outside with rounded operands, to the bit.
template <class Function>
void check_narrow(const Function& function, const Tensor& a, const Tensor& b) {
  const Tensor expected = function(rounded(a), rounded(b)), plain = function(a, b);
  const AutocastGuard guard(bf16);
  const Tensor y = function(a, b);
  CHECK(y.dtype() == DType::f32);
  CHECK(values_of(y) == values_of(expected));
  CHECK(values_of(y) != values_of(plain));
}

// The shapes and types of what is copied, and of what is multiplied.
class Watch final : public Observer {
 public:
  void on_operation(const OperationEvent& event) override {
    if (event.inputs.empty()) return;
    const bool is_copy = event.operation.as<op::Copy>() != nullptr;
    const Tensor& shown = is_copy ? event.outputs[0] : event.inputs[0];
    std::string& line = is_copy ? copies : others;
    line += (line.empty() ? "" : " ") + std::string(to_string(shown.dtype())) +
            to_string(shown.shape());
  }
  std::string copies, others;
};

// The copies that `body` makes.
template <class Body>
std::string copies_in(const Body& body) {
  Watch watch;
  const ObserverGuard guard(watch);
  static_cast<void>(body());
  return watch.copies;
}

struct Gradients {
  Tensor x, w, bias;
};

// Of the sum of squares of a convolution, whose backward runs outside of the forward's scope.
Gradients conv2d_gradients(const Tensor& x, const Tensor& w, const Tensor& bias,
                           std::optional<DType> forward, std::optional<DType> backward) {
  Tensor a = x.clone().set_requires_grad(), b = w.clone().set_requires_grad();
  Tensor c = bias.clone().set_requires_grad();
  Tensor loss;
  {
    const AutocastGuard guard(forward);
    const Tensor y = conv2d(a, b, c, {.padding = 1});
    loss = sum(y * y);
  }
  const AutocastGuard guard(backward);
  loss.backward();
  return {a.grad(), b.grad(), c.grad()};
}

}  // namespace

TEST_CASE("autocast: scopes nest, and end with their guard") {
  CHECK(autocast() == std::nullopt);
  {
    const AutocastGuard outer(DType::bf16);
    CHECK(autocast() == DType::bf16);
    {
      const AutocastGuard inner(DType::f16);
      CHECK(autocast() == DType::f16);
      const AutocastGuard off(std::nullopt);
      CHECK(autocast() == std::nullopt);
    }
    CHECK(autocast() == DType::bf16);
    const auto failing = [] {
      const AutocastGuard inner(DType::f16);
      throw std::runtime_error("inside");
    };
    CHECK_THROWS(failing());
    CHECK(autocast() == DType::bf16);
  }
  CHECK(autocast() == std::nullopt);
}

TEST_CASE("autocast: a scope is its thread's own") {
  const AutocastGuard guard(DType::bf16);
  std::thread([] {
    CHECK(autocast() == std::nullopt);
    const AutocastGuard other(DType::f16);
    CHECK(autocast() == DType::f16);
  }).join();
  CHECK(autocast() == DType::bf16);
}

TEST_CASE("autocast: other types are refused, and change nothing") {
  for (const DType type : {DType::f32, DType::f64, DType::i8, DType::i64}) {
    CHECK(error_of([&] { return AutocastGuard(type), 0; }) ==
          "invalid_argument: autocast: expects bf16, f16 or none, got " +
              std::string(to_string(type)));
    CHECK(autocast() == std::nullopt);
  }
}

TEST_CASE("autocast: products round their operands and give f32") {
  check_narrow([](const Tensor& a, const Tensor& b) { return matmul(a, b); }, drawn({3, 5}),
               drawn({5, 4}, 2));
  check_narrow([](const Tensor& a, const Tensor& b) { return linear(a, b); }, drawn({3, 5}),
               drawn({4, 5}, 2));
  check_narrow([](const Tensor& a, const Tensor& b) { return conv2d(a, b); }, drawn({2, 3, 5, 5}),
               drawn({4, 3, 3, 3}, 2));
  check_narrow([](const Tensor& a, const Tensor& b) { return conv1d(a, b); }, drawn({2, 3, 7}),
               drawn({4, 3, 3}, 2));
  check_narrow([](const Tensor& a, const Tensor& b) { return conv_transpose2d(a, b); },
               drawn({2, 3, 5, 5}), drawn({3, 4, 3, 3}, 2));
}

TEST_CASE("autocast: a bias is added as it is") {
  const Tensor a = drawn({2, 3}), b = drawn({3, 2}, 2), bias = drawn({2}, 3);
  const Tensor expected = matmul(rounded(a), rounded(b), bias);
  const AutocastGuard guard(bf16);
  CHECK(values_of(matmul(a, b, bias)) == values_of(expected));
}

TEST_CASE("autocast: attention is narrow in its products alone") {
  const Tensor q = drawn({2, 4, 6}), k = drawn({2, 5, 6}, 2), v = drawn({2, 5, 3}, 3);
  Watch watch;
  const ObserverGuard observer(watch);
  const AutocastGuard guard(bf16);
  CHECK(scaled_dot_product_attention(q, k, v).dtype() == DType::f32);
  CHECK(watch.others == "f32[2,4,6] bf16[2,4,6] f32[2,4,5] bf16[2,4,5]");
}

TEST_CASE("autocast: everything else stays as it is") {
  const Tensor x = drawn({4, 6}), labels = cast(counting({4}), DType::i64);
  const auto compute = [&] {
    return std::vector{values_of(softmax(x)), values_of(x * x + x), values_of(sum(x, {0})),
                       values_of(layer_norm(x, {6})), values_of(cross_entropy(x, labels))};
  };
  const auto plain = compute();
  const AutocastGuard guard(bf16);
  CHECK(compute() == plain);
}

TEST_CASE("autocast: operands of other types are left alone") {
  const Tensor wide = cast(drawn({3, 3}), DType::f64);
  const auto plain = matmul(wide, wide).to_vector<double>();
  const AutocastGuard guard(DType::f16);
  CHECK(matmul(wide, wide).to_vector<double>() == plain);
  CHECK(matmul(cast(wide, bf16), cast(wide, bf16)).dtype() == bf16);
  CHECK(error_of([&] {
          return matmul(wide, drawn({3, 3}));
        }) ==
        "invalid_argument: matmul: operands must have one type, got f64[3,3] and f32[3,3]; cast() "
        "one of them");
}

TEST_CASE("autocast: gradients are f32, of narrow products") {
  const Tensor x = drawn({2, 3, 5, 5}), w = drawn({4, 3, 3, 3}, 2), bias = drawn({4}, 3);
  const Gradients found = conv2d_gradients(x, w, bias, bf16, std::nullopt);
  for (const Tensor& gradient : {found.x, found.w, found.bias}) {
    CHECK(gradient.dtype() == DType::f32);
  }
  // By hand, with the roundings that a narrow gradient has.
  Tensor a = rounded(x).set_requires_grad(), b = rounded(w).set_requires_grad();
  Tensor c = bias.clone().set_requires_grad();
  const Tensor y = conv2d(a, b, c, {.padding = 1});
  backward(y, rounded(affine(y.detach(), 2, 0)));
  CHECK(values_of(found.x) == values_of(a.grad()));
  CHECK(values_of(found.w) == values_of(b.grad()));
  CHECK(values_of(found.bias) == values_of(c.grad()));
}

TEST_CASE("autocast: backward runs as its forward did, whatever scope is active then") {
  const Tensor x = drawn({2, 3, 5, 5}), w = drawn({4, 3, 3, 3}, 2), bias = drawn({4}, 3);
  const auto outside = values_of(conv2d_gradients(x, w, bias, bf16, std::nullopt).w);
  CHECK(values_of(conv2d_gradients(x, w, bias, bf16, bf16).w) == outside);
  CHECK(values_of(conv2d_gradients(x, w, bias, bf16, DType::f16).w) == outside);
  const auto plain = values_of(conv2d_gradients(x, w, bias, std::nullopt, std::nullopt).w);
  CHECK(values_of(conv2d_gradients(x, w, bias, std::nullopt, bf16).w) == plain);
  CHECK(plain != outside);
}

TEST_CASE("autocast: a user's function is played back in its forward's scope") {
  std::optional<DType> seen;
  const Function identity(
      "identity", [](FunctionContext&, std::span<const Tensor> inputs) { return inputs[0]; },
      [&seen](const FunctionContext&, const Tensor& dy) {
        seen = autocast();
        return std::vector{dy};
      });
  Tensor x = counting({3}).set_requires_grad();
  Tensor loss;
  {
    const AutocastGuard guard(bf16);
    loss = sum(identity({x}));
  }
  loss.backward();
  CHECK(seen == bf16);
  CHECK(autocast() == std::nullopt);
}

TEST_CASE("autocast: a weight is converted once, until it changes or the scope ends") {
  const Tensor x = drawn({2, 3});
  Tensor w = drawn({3, 4}, 2).set_requires_grad();
  const NoGradGuard no_grad;
  const auto product = [&] { return matmul(x, w); };
  {
    const AutocastGuard guard(bf16);
    CHECK(copies_in(product) == "bf16[2,3] bf16[3,4]");
    const auto first = values_of(product());
    CHECK(copies_in(product) == "bf16[2,3]");
    {
      const AutocastGuard inner(bf16);
      CHECK(copies_in(product) == "bf16[2,3]");
      const AutocastGuard other(DType::f16);
      CHECK(copies_in(product) == "f16[2,3] f16[3,4]");
    }
    CHECK(copies_in(product) == "bf16[2,3]");
    w.copy_from(affine(w, 2, 0));
    CHECK(copies_in(product) == "bf16[2,3] bf16[3,4]");
    CHECK(values_of(product()) == values_of(affine(tensor(first, {2, 4}, on_reference()), 2, 0)));
    // Another tensor at its place is not taken for it.
    w = drawn({3, 4}, 3).set_requires_grad();
    CHECK(copies_in(product) == "bf16[2,3] bf16[3,4]");
  }
  const AutocastGuard guard(bf16);
  CHECK(copies_in(product) == "bf16[2,3] bf16[3,4]");
}

TEST_CASE("autocast: forward and backward share a weight's copy; a stream has its own") {
  const Tensor x = drawn({1, 2, 4, 4});
  Tensor w = drawn({3, 2, 1, 1}, 2).set_requires_grad();
  Tensor leaf = x.clone().set_requires_grad();
  const AutocastGuard guard(bf16);
  const Tensor loss = sum(conv2d(leaf, w));
  // Both operands of forward are leaves; dy is one number, repeated, and is used twice.
  CHECK(copies_in([&] { return loss.backward(), 0; }) == "bf16[1,1,1,1]");
  const Stream stream(reference());
  const StreamGuard current(stream);
  CHECK(copies_in([&] { return conv2d(x, w); }) == "bf16[1,2,4,4] bf16[3,2,1,1]");
}

TEST_CASE("autocast: a compiled step belongs to its scope, and converts weights in each call") {
  const Tensor x = drawn({2, 3});
  Tensor w = drawn({3, 4}, 2).set_requires_grad();
  const NoGradGuard no_grad;
  CompiledCalls calls;
  const auto step = [&] {
    return values_of(calls.call({&x, 1}, [&](std::span<const Tensor> inputs) {
      return std::vector{matmul(inputs[0], w)};
    })[0]);
  };
  const auto plain = step();
  const AutocastGuard guard(bf16);
  for (int call = 0; call < 4; ++call) {
    w.copy_from(affine(w, 1.25, 0));
    const auto eager = values_of(matmul(x, w));
    CHECK(step() == eager);
    CHECK(step() == eager);
  }
  CHECK(calls.recorded_calls() == 3);  // one outside, two inside
  CHECK(calls.replayed_calls() == 6);
  const AutocastGuard off(std::nullopt);
  CHECK(step() == values_of(matmul(x, w)));
  CHECK(plain != step());
}

TEST_CASE("autocast: repeated elements are converted once") {
  const Tensor a = drawn({2, 3}), b = drawn({5, 3, 4}, 2);
  const AutocastGuard guard(bf16);
  Tensor y;
  CHECK(copies_in([&] { return y = matmul(a, b); }) == "bf16[1,2,3] bf16[5,3,4]");
  const AutocastGuard off(std::nullopt);
  CHECK(values_of(y) == values_of(matmul(rounded(a), rounded(b))));
}

TEST_CASE("autocast: a device computes in the type or says that it doesn't") {
  const Tensor a = drawn({4, 8}), b = drawn({8, 3}, 2);
  for (const DType type : {DType::bf16, DType::f16}) {
    const auto expected =
        values_of(matmul(cast(cast(a, type), DType::f32), cast(cast(b, type), DType::f32)));
    for (const Device device : devices()) {
      CAPTURE(device.name());
      const Tensor here = a.to(device), there = b.to(device);
      const AutocastGuard guard(type);
      Tensor y;
      const std::string error = error_of([&] { return y = matmul(here, there); });
      if (y.defined()) {
        const auto found = values_of(y);
        for (std::size_t i = 0; i < found.size(); ++i) {
          CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
        }
        continue;
      }
      const std::string name(to_string(type));
      CHECK(error.starts_with("unsupported: " + device.name() + " cannot run matmul: "));
      CHECK(error.find(" " + name) != std::string::npos);
      CHECK(error.ends_with("; its operands are " + name +
                            " by autocast, which AutocastGuard(std::nullopt) switches off"));
    }
  }
}

TEST_CASE("autocast: how onednn multiplies bf16 is a setting of two values") {
  for (const Device device : devices()) {
    if (device.backend() != "onednn") continue;
    const std::string error = error_of([&] { return device.set_option("bf16", "fast"), 0; });
    CHECK(error.ends_with("onednn: option bf16 takes native or widened, not 'fast'"));
    CHECK(error.starts_with("invalid_argument: "));
    CHECK(error_of([&] { return device.set_option("bf16", "widened"), 0; }) == "no error");
    const Tensor a = drawn({4, 8}), b = drawn({8, 3}, 2);
    const auto expected = values_of(matmul(rounded(a), rounded(b)));
    const AutocastGuard guard(bf16);
    const auto found = values_of(matmul(a.to(device), b.to(device)));
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    }
  }
}
