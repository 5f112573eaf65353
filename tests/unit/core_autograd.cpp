// The graph: what is recorded, how gradients gather, and what backward refuses.
#include "backplane/autograd.hpp"

#include <doctest/doctest.h>

#include "backplane/buffer.hpp"
#include "backplane/stream.hpp"
#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

using Values = std::vector<float>;

Tensor leaf(std::initializer_list<float> values) {
  return tensor(values, on_reference()).set_requires_grad();
}

}  // namespace

TEST_CASE("backward: gradients add up over passes, in place") {
  const Tensor x = leaf({1, 2});
  sum(x * x).backward();
  CHECK(values_of(x.grad()) == Values{2, 4});
  const Tensor held = x.grad();
  sum(x * x).backward();
  CHECK(values_of(x.grad()) == Values{4, 8});
  CHECK(values_of(held) == Values{4, 8});
}

TEST_CASE("backward: a leaf and a shared subexpression used many times") {
  const Tensor x = leaf({3});
  const Tensor shared = x * x;
  sum(shared * shared + shared + x).backward();  // 4 x^3 + 2 x + 1
  CHECK(x.grad().item() == 4 * 27 + 6 + 1);
}

TEST_CASE("backward: a gradient that goes two ways isn't added to by one of them") {
  const Tensor a = leaf({1}), b = leaf({2}), c = leaf({5});
  const Tensor r = relu(b);
  const Tensor m = a * c;
  // a's first gradient is the one that flows on to r; its second comes before r is played.
  sum(((a + r) + m) * tensor({3}, on_reference())).backward();
  CHECK(a.grad().item() == 18);
  CHECK(b.grad().item() == 3);
  CHECK(c.grad().item() == 3);
}

TEST_CASE("backward: the gradient that the caller passed stays his") {
  const Tensor x = leaf({1, 2});
  const Tensor seed = tensor({10, 20}, on_reference());
  backward(x + 0.0, seed);
  backward(x + x, seed);
  CHECK(values_of(x.grad()) == Values{30, 60});
  CHECK(values_of(seed) == Values{10, 20});
}

TEST_CASE("backward: of a leaf itself") {
  const Tensor x = leaf({4});
  x.backward();
  x.backward();
  CHECK(x.grad().item() == 2);
}

TEST_CASE("backward: keeps the graph only when asked to") {
  const Tensor x = leaf({3});
  const Tensor y = sum(x * x);
  backward(y, {}, {.retain_graph = true});
  y.backward();
  CHECK(x.grad().item() == 12);
  CHECK(
      error_of([&] { return y.backward(), 0; }) ==
      "invalid_argument: backward: the graph of sum was already released; pass retain_graph to the "
      "first pass");
}

TEST_CASE("backward: refusals") {
  const Tensor x = leaf({1, 2});
  CHECK(error_of([&] { return (x + 1.0).backward(), 0; }) ==
        "invalid_argument: backward: a root of more than one element needs a gradient, root is "
        "f32[2]; reduce it to a scalar, or pass one");
  CHECK(error_of([&] { return backward(x + 1.0, counting({3})), 0; }) ==
        "invalid_argument: backward: the gradient has the root's type, shape and device: f32[2] on "
        "reference:0, given f32[3] on reference:0");
  CHECK(error_of([] { return backward(sum(counting({2}))), 0; }) ==
        "invalid_argument: backward: f32[] depends on no tensor that requires a gradient; "
        "set_requires_grad on the leaves before the forward pass");
  CHECK(error_of([&] { return backward(sum(x), {}, {.create_graph = true}), 0; }) ==
        "unsupported: backward: gradients of gradients aren't recorded; leave create_graph unset");
  CHECK(error_of([] { return backward({}), 0; }) ==
        "invalid_argument: backward: the tensor is undefined; give it a value first");
}

TEST_CASE("backward: a saved tensor that was changed in place is an error") {
  const Tensor x = leaf({1, 2});
  Tensor factor = counting({2});
  const Tensor y = x * factor;
  factor.fill(3);
  factor.slice(0, 0, 1).fill(4);
  CHECK(error_of([&] { return sum(y).backward(), 0; }) ==
        "invalid_argument: mul: a tensor that backward needs (f32[2]) was changed in place 2 times "
        "since forward; change a clone() instead");
}

TEST_CASE("no_grad: nothing is recorded, on this thread, while the guard lives") {
  const Tensor x = leaf({1});
  CHECK(grad_enabled());
  const Tensor y = no_grad([&] {
    CHECK(!grad_enabled());
    return x * x;
  });
  CHECK(!y.requires_grad());
  CHECK(y.is_leaf());
  CHECK(grad_enabled());
  CHECK((x * x).requires_grad());
  CHECK(!(x * x).is_leaf());
  CHECK(!x.detach().requires_grad());
  CHECK(!counting({1}).requires_grad());
}

TEST_CASE("backward: inputs that need no gradient get none") {
  const Tensor x = leaf({2}), constant = tensor({3}, on_reference());
  sum(x * constant + constant).backward();
  CHECK(x.grad().item() == 3);
  CHECK(!constant.grad().defined());
}

TEST_CASE("backward: an unused output of a branch leaves its leaf alone") {
  const Tensor x = leaf({2}), unused = leaf({1});
  static_cast<void>(unused * x);
  sum(x * x).backward();
  CHECK(!unused.grad().defined());
}

TEST_CASE("backward: across devices") {
  for (const Device other : devices()) {
    const Tensor x = leaf({1, 2});
    const Tensor there = x.copy_to(other);
    const Tensor weight = full({2}, 3, {.device = other, .requires_grad = true});
    const Tensor back = (there * weight).to(reference());
    sum(back * x).backward();  // 3 x^2
    CHECK(values_of(x.grad()) == Values{6, 12});
    CHECK(values_of(weight.grad()) == Values{1, 4});
    CHECK(weight.grad().device() == other);
  }
}

TEST_CASE("backward: across streams, each step follows the one before") {
  const Stream first(reference()), second(reference());
  const Tensor x = full({64}, 2, on_reference()).set_requires_grad();
  reference().synchronize();
  for (int round = 0; round < 10; ++round) {
    Tensor y = x;
    Event done(reference());
    for (int step = 0; step < 4; ++step) {
      const Stream& stream = step % 2 == 0 ? first : second;
      stream.wait(done);
      const StreamGuard guard(stream);
      y = step == 3 ? sum(y * y) : y * y;
      done.record(stream);
    }
    y.backward();  // of x^16
    CHECK(values_of(x.grad()) == Values(64, 16 * 32768.0f));
    Tensor(x).set_grad({});
    reference().synchronize();
  }
}

TEST_CASE("backward: gradients from several streams meet in a leaf and in a result") {
  const Stream first(reference()), second(reference()), third(reference());
  const Tensor x = full({64}, 2, on_reference()).set_requires_grad();
  reference().synchronize();
  for (const bool in_leaf : {true, false}) {
    for (int round = 0; round < 10; ++round) {
      Tensor shared = x, a, b, y;
      Event ready(reference()), a_done(reference()), b_done(reference());
      {
        const StreamGuard guard(first);
        if (!in_leaf) shared = x * x;
        ready.record(first);
      }
      second.wait(ready);
      third.wait(ready);
      {
        const StreamGuard guard(second);
        a = shared * 3.0;
        a_done.record(second);
      }
      {
        const StreamGuard guard(third);
        b = shared * 5.0;
        b_done.record(third);
      }
      first.wait(a_done);
      first.wait(b_done);
      {
        const StreamGuard guard(first);
        y = sum(a + b);
      }
      y.backward();
      CHECK(values_of(x.grad()) == Values(64, in_leaf ? 8.0f : 32.0f));
      Tensor(x).set_grad({});
      reference().synchronize();
    }
  }
}

TEST_CASE("backward: a chain of a hundred thousand operations") {
  const Tensor x = leaf({1});
  {
    Tensor y = x;
    for (int i = 0; i < 100000; ++i) y = y.reshape({1, 1}).reshape({1});
    sum(y).backward();
    CHECK(x.grad().item() == 1);
  }
  Tensor dropped = x;  // and one that is never played
  for (int i = 0; i < 100000; ++i) dropped = dropped.reshape({1, 1}).reshape({1});
}

TEST_CASE("graph: a result that is never played back frees its memory") {
  const auto before = memory_stats(reference()).allocated_bytes;
  {
    const Tensor x = full({1000}, 1, on_reference()).set_requires_grad();
    static_cast<void>(log_softmax(softmax(relu(x) * x)));
    static_cast<void>(max_pool2d(x.reshape({1, 1, 10, 100})));
    static_cast<void>(cross_entropy(x.reshape({10, 100}), zeros({10}, on_reference(DType::i64))));
  }
  reference().synchronize();
  CHECK(memory_stats(reference()).allocated_bytes == before);
}

TEST_CASE("graph: a bad label is an error at the wait, and the next step trains") {
  const Tensor weight = counting({2, 3}).set_requires_grad();
  const Tensor x = ones({1, 3}, on_reference());
  const auto step = [&](std::int64_t label) {
    const Tensor labels = tensor(std::vector{label}, {1}, on_reference());
    const Tensor loss = cross_entropy(linear(x, weight), labels);
    loss.backward();
    return loss.item();
  };
  CHECK(error_of([&] {
          return step(2);
        }).starts_with("out_of_range: cross_entropy: values must be in [0, 2), sample 0 has 2"));
  CHECK(values_of(weight.grad()) == Values(6, 0));  // a row of zeros for the sample at fault
  CHECK(step(1) > 0);
  CHECK(values_of(weight.grad())[0] > 0);
}
